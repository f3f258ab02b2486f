package io.millrace.dataplane.metrics;

import io.millrace.task.InputSubtask;
import io.millrace.task.TaskEventTime;
import java.util.Optional;
import java.util.function.IntFunction;

/** The progress of event time in a task. Its step writes it, any thread reads it. */
public final class EventTimeMetrics {
  private static final int NONE = -1;

  private volatile boolean used;
  private volatile long input = TaskEventTime.NO_WATERMARK;
  private volatile long highestInput = TaskEventTime.NO_WATERMARK;
  private volatile long output = TaskEventTime.NO_WATERMARK;
  private volatile long lateDropped;
  private volatile int idleInputs;
  private volatile int slowest = NONE;

  /** Marks the task as one that uses event time. */
  public void use() {
    used = true;
  }

  /**
   * @param slowestChannel the channel that holds the watermark back, negative if there is none
   */
  public void inputs(long lowest, int slowestChannel, int idle) {
    input = lowest;
    slowest = slowestChannel;
    idleInputs = idle;
    used = true;
  }

  public void highestInput(long watermark) {
    highestInput = watermark;
    used = true;
  }

  public void output(long watermark) {
    output = watermark;
    used = true;
  }

  /** Counts a late record that was dropped. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
  public void lateDropped() {
    lateDropped++;
    used = true;
  }

  /**
   * @param origin the subtask that sends on a channel
   */
  public Optional<TaskEventTime> read(int inputs, IntFunction<InputSubtask> origin) {
    if (!used) {
      return Optional.empty();
    }
    int holds = slowest;
    return Optional.of(
        new TaskEventTime(
            input,
            output,
            highestInput,
            lateDropped,
            inputs,
            idleInputs,
            holds < 0 ? Optional.empty() : Optional.of(origin.apply(holds))));
  }
}
