package io.millrace.dataplane.operator;

/** What travels between records, in their order. It ends the batch it is in. */
public sealed interface ControlElement {
  /** Event time has reached this point. */
  record Watermark(long time) implements ControlElement {}

  /** Whether the channel holds event time back. */
  enum WatermarkStatus implements ControlElement {
    /** It does not until it is active again. */
    IDLE,
    ACTIVE
  }

  /** Everything before belongs to this checkpoint, everything after to the next. */
  record CheckpointBarrier(long checkpoint) implements ControlElement {}

  /** Nothing will follow on this channel; event time is at its end, too. */
  enum EndOfInput implements ControlElement {
    INSTANCE
  }
}
