package io.millrace.task;

import java.util.Objects;
import java.util.Optional;

/**
 * The progress of event time in a task. Watermarks are {@link #NO_WATERMARK} before the first one.
 *
 * @param inputWatermark the minimum of the inputs that are neither idle nor ended
 * @param outputWatermark the last watermark that the task emitted
 * @param highestInputWatermark the maximum of all inputs
 * @param lateRecordsDropped the number of late records that windows dropped
 * @param inputs the number of inputs: one for each subtask that sends to this one
 * @param idleInputs the number of idle inputs
 * @param slowestInput the input that holds the input watermark back, if there is one
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

  /** Whether an input is behind the others. */
  public boolean isHeldBack() {
    return slowestInput.isPresent() && inputWatermark < highestInputWatermark;
  }
}
