package io.millrace.rpc;

/** The registration of a listener. */
@FunctionalInterface
public interface Subscription {
  /** The listener is not called after this, not even for notifications that are already queued. */
  void cancel();
}
