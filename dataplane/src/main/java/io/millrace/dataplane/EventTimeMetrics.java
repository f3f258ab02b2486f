package io.millrace.dataplane;

import io.millrace.task.InputSubtask;
import io.millrace.task.TaskEventTime;
import java.util.Optional;
import java.util.function.IntFunction;

/** How far event time is in a task. Written by its step only, read from anywhere. */
final class EventTimeMetrics {
  private static final int NONE = -1;

  private volatile boolean used;
  private volatile long input = TaskEventTime.NO_WATERMARK;
  private volatile long highestInput = TaskEventTime.NO_WATERMARK;
  private volatile long output = TaskEventTime.NO_WATERMARK;
  private volatile long lateDropped;
  private volatile int idleInputs;
  private volatile int slowest = NONE;

  /** The task has something to say of event time, from now on. */
  void use() {
    used = true;
  }

  /**
   * @param slowestChannel the one that holds the watermark back, negative if there is none
   */
  void inputs(long lowest, int slowestChannel, int idle) {
    input = lowest;
    slowest = slowestChannel;
    idleInputs = idle;
    used = true;
  }

  void highestInput(long watermark) {
    highestInput = watermark;
    used = true;
  }

  void output(long watermark) {
    output = watermark;
    used = true;
  }

  /** A record came too late and went nowhere. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
  void lateDropped() {
    lateDropped++;
    used = true;
  }

  /**
   * @param origin whose channel it is
   */
  Optional<TaskEventTime> read(int inputs, IntFunction<InputSubtask> origin) {
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
