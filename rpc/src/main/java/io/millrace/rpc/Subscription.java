package io.millrace.rpc;

/** A standing wish to be told something. */
@FunctionalInterface
public interface Subscription {
  /** After this nothing more is told, also not what is already on its way. */
  void cancel();
}
