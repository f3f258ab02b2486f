package io.millrace.dataplane.operator;

import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.Objects;

/** An element of a stream that is not a record. It is the last element of its batch. */
public sealed interface ControlElement {
  /** Event time has reached this time: no earlier record follows, except for late ones. */
  record Watermark(long time) implements ControlElement {}

  /** Whether the watermark of a channel counts. */
  enum WatermarkStatus implements ControlElement {
    /** The channel does not hold event time back until it is ACTIVE again. */
    IDLE,
    ACTIVE
  }

  /** Separates the records of a checkpoint from those of the next one. */
  record CheckpointBarrier(CheckpointRequest request) implements ControlElement {
    public CheckpointBarrier {
      Objects.requireNonNull(request);
    }
  }

  /** The last element of a channel. Event time of the channel is complete, too. */
  enum EndOfInput implements ControlElement {
    INSTANCE
  }
}
