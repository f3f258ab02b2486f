package io.millrace.task;

import java.util.Objects;
import java.util.Optional;

/**
 * How far event time is in a task. Watermarks are {@link #NO_WATERMARK} before the first one.
 *
 * @param inputWatermark the lowest of the inputs that are neither idle nor ended
 * @param outputWatermark what the task has passed on
 * @param highestInputWatermark how far the input is that is ahead of the others
 * @param lateRecordsDropped records that came too late for their windows and went nowhere
 * @param inputs how many there are: one for each subtask that sends to this one
 * @param idleInputs how many of them are idle
 * @param slowestInput the one that holds the input watermark back, if there is one
 */
public record TaskEventTime(
    long inputWatermark,
    long outputWatermark,
    long highestInputWatermark,
    long lateRecordsDropped,
    int inputs,
    int idleInputs,
    Optional<InputSubtask> slowestInput) {
  public static final long NO_WATERMARK = Long.MIN_VALUE;

  public TaskEventTime {
    Objects.requireNonNull(slowestInput);
  }

  /** Whether one input is behind the others. */
  public boolean isHeldBack() {
    return slowestInput.isPresent() && inputWatermark < highestInputWatermark;
  }
}
