package io.millrace.api.time;

/** Constants of timestamps. */
public final class Timestamps {
  /** The timestamp of a record without one. */
  public static final long NONE = Long.MIN_VALUE;

  private Timestamps() {}
}
