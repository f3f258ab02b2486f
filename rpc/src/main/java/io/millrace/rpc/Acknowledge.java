package io.millrace.rpc;

/** The answer that says only that a call was executed. */
public record Acknowledge() {
  public static final Acknowledge INSTANCE = new Acknowledge();
}
