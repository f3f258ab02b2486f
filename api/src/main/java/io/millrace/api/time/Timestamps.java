package io.millrace.api.time;

/** What a time means that is none. */
public final class Timestamps {
  /** The timestamp of a record without one. */
  public static final long NONE = Long.MIN_VALUE;

  private Timestamps() {}
}
