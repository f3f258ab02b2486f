package io.millrace.rpc;

/** A reply without content: the endpoint has executed the call. */
public record Acknowledge() {
  public static final Acknowledge INSTANCE = new Acknowledge();
}
