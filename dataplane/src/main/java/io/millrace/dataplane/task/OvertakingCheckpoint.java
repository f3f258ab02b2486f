package io.millrace.dataplane.task;

import io.millrace.dataplane.exchange.InFlightCapture;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;

/**
 * A checkpoint at one task whose barriers may overtake records.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>announced</td><td>the barrier is aligned at all inputs; or it is due, and overtakes what
 * the inputs have</td><td>capturing</td></tr>
 * <tr><td>capturing</td><td>it is due: the barrier overtakes what waits in the
 * outputs</td><td>capturing</td></tr>
 * <tr><td>capturing</td><td>the barrier has come on all inputs and left on all outputs</td>
 * <td>finished</td></tr>
 * <tr><td>any</td><td>the checkpoint is aborted or fails</td><td>closed</td></tr>
 * </table>
 *
 * <p>It is due when its time for alignment is over. Belongs to the task's step.
 */
final class OvertakingCheckpoint {
  private final Task task;
  private CheckpointRequest request;
  private long dueAt;
  private Future<?> timer;
  private Optional<InFlightCapture> capture = Optional.empty();
  private boolean outputsOvertaken;
  private SnapshotWriter.Writing writing;
  private long alignmentBegan;

  OvertakingCheckpoint(Task task, CheckpointRequest request) {
    this.task = task;
    this.request = request;
    Duration left = timeToAlign();
    this.dueAt = System.nanoTime() + left.toNanos();
    if (!left.isZero()) {
      timer = task.wakeAfter(left);
    }
  }

  /** The time for alignment counts from the trigger on; clocks of two machines may differ. */
  private Duration timeToAlign() {
    Duration timeout = request.barriers().alignmentTimeout();
    long passed = task.deployment().services().clock().getAsLong() - request.timestamp();
    Duration left = timeout.minusMillis(Math.max(0, passed));
    return left.isNegative() ? Duration.ZERO : left;
  }

  long number() {
    return request.checkpoint();
  }

  CheckpointRequest request() {
    return request;
  }

  /** Another barrier has been received; one that overtakes records waits for nothing. */
  void announced(CheckpointRequest other) {
    if (other.barriers().alignmentTimeout().isZero()) {
      request = other;
      dueAt = Math.min(dueAt, System.nanoTime());
    }
  }

  boolean isDue(long now) {
    return now - dueAt >= 0;
  }

  /** What the barriers have overtaken so far; empty before the snapshot is taken. */
  Optional<InFlightCapture> capture() {
    return capture;
  }

  void captures(InFlightCapture started) {
    capture = Optional.of(started);
  }

  /** Whether the barrier has to overtake what waits in the outputs; true once. */
  boolean overtakeOutputs() {
    boolean first = !outputsOvertaken;
    outputsOvertaken = true;
    return first;
  }

  /**
   * @param began when the first barrier came
   */
  void writes(SnapshotWriter.Writing started, long began) {
    writing = started;
    alignmentBegan = began;
  }

  /** Hands a complete capture over; false if it is not complete. */
  boolean finish() {
    if (writing == null || !capture.orElseThrow().isComplete()) {
      return false;
    }
    TaskSnapshot.Timing timing = writing.timing();
    writing.records(
        capture.get(),
        new TaskSnapshot.Timing(
            timing.startDelay(),
            outputsOvertaken
                ? TaskCheckpoints.millis(System.nanoTime() - alignmentBegan)
                : timing.alignment(),
            timing.synchronous(),
            0,
            timing.alignedBytes(),
            outputsOvertaken));
    stopTimer();
    return true;
  }

  /** Gives the checkpoint up. */
  void close() {
    stopTimer();
    if (writing != null) {
      writing.cancel();
    }
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
