package io.millrace.dataplane.task;

import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.cores.Tasklet.StepResult;
import io.millrace.dataplane.exchange.InFlightCapture;
import io.millrace.dataplane.exchange.InputGate;
import io.millrace.dataplane.exchange.RecordBatch;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.operator.TaskClock;
import io.millrace.task.TaskEventTime;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Polls batches from the input gate and passes their records to the chain. Belongs to the task's
 * step, except for {@link #receive}, {@link #expects} and {@link #eventTime}.
 */
final class InputProcessor {
  /** The number of records that the head of the chain sees in advance. */
  private static final int PREFETCHED_RECORDS = 32;

  private final Task task;
  private final OperatorChain chain;
  private final InputGate gate;

  /** Control elements that the chain has not processed yet, in order. */
  private final ArrayDeque<ControlElement> controls = new ArrayDeque<>();

  /** Whether what is due in processing time fires in several steps. */
  private boolean isFiring;

  private RecordBatch current;
  private int position;

  /** The end of the records in the batch that the head has seen in advance. */
  private int prefetched;

  InputProcessor(Task task, OperatorChain chain, InputGate gate) {
    this.task = task;
    this.chain = chain;
    this.gate = gate;
  }

  /** Queues a batch. Any thread may call it. */
  void receive(RecordBatch batch) {
    gate.receive(batch);
  }

  /** Whether a subtask on a host still sends to this task. Any thread may call it. */
  boolean expects(int host) {
    return gate.expects(host);
  }

  /** The progress of event time, if there is any. Any thread may call it. */
  Optional<TaskEventTime> eventTime() {
    return gate.eventTime();
  }

  boolean isEmpty() {
    return gate.hasNoChannels();
  }

  /** Whether the chain has processed all input. */
  boolean isComplete() {
    return gate.isEnded() && controls.isEmpty();
  }

  /** Processes batches until the input is empty, an output is full, or the step is over. */
  StepResult consume() {
    StreamOperator head = chain.head();
    boolean hasTwoInputs = chain.hasTwoInputs();
    TaskClock clock = task.clock();
    while (true) {
      if (!controls.isEmpty() && !passControls() || chain.isTimed() && !passTime(clock)) {
        return task.checkpoints().isWaiting() ? task.idle() : task.yielded();
      }
      if (isComplete()) {
        return StepResult.MORE;
      }
      if (current == null && !takeNext()) {
        return task.idle();
      }
      if (hasTwoInputs) {
        // All records of a batch come from one edge.
        head = chain.input(current.targetInput());
      }
      Object[] records = current.records;
      long[] timestamps = current.timestamps;
      int size = current.size;
      int at = position;
      clock.timestamp = Timestamps.NONE;
      while (at < size) {
        if (at == prefetched) {
          prefetched = Math.min(size, at + PREFETCHED_RECORDS);
          head.prefetch(records, at, prefetched);
        }
        if (timestamps != null) {
          clock.timestamp = timestamps[at];
        }
        head.processElement(records[at++]);
        if (task.isFull()) {
          position = at;
          if (!task.hasRoom()) {
            return StepResult.IDLE;
          }
        }
        if (task.isDueForCheck() && task.isStepOver()) {
          position = at;
          return StepResult.MORE;
        }
      }
      position = at;
      finishBatch();
      if (task.isFull() && !task.hasRoom()) {
        return StepResult.IDLE;
      }
    }
  }

  /**
   * Processes what has arrived at a source: assigned splits and barriers; false if that continues
   * in another step.
   */
  boolean consumeSplits() {
    StreamOperator head = chain.head();
    while (true) {
      if (!controls.isEmpty() && !passControls()) {
        return false;
      }
      if (isComplete() || current == null && !takeNext()) {
        return true;
      }
      while (position < current.size) {
        head.processElement(current.records[position++]);
      }
      finishBatch();
    }
  }

  void requestSplits(long total) {
    gate.requestSplits(total);
  }

  /** Fires what is due in processing time; false if that continues in another step. */
  private boolean passTime(TaskClock clock) {
    chain.emitPeriodicWatermarks(clock.nanoTime());
    isFiring = !chain.processingTime(clock.read());
    return !isFiring;
  }

  private boolean passControls() {
    while (!controls.isEmpty()) {
      if (!pass(controls.peek())) {
        return false;
      }
      controls.poll();
    }
    return true;
  }

  private boolean pass(ControlElement control) {
    if (control instanceof ControlElement.Watermark mark) {
      return chain.eventTime(mark.time());
    } else if (control instanceof ControlElement.WatermarkStatus status) {
      chain.idle(status == ControlElement.WatermarkStatus.IDLE);
    } else if (control instanceof ControlElement.CheckpointBarrier barrier) {
      return task.checkpoints().barrier(barrier.request());
    } else {
      // The gate keeps the end of input to itself; the task ends its operators first.
      throw new IllegalStateException("The input gate passed on " + control);
    }
    return true;
  }

  private boolean takeNext() {
    Optional<RecordBatch> next = gate.poll();
    current = next.orElse(null);
    position = 0;
    prefetched = 0;
    return next.isPresent();
  }

  private void finishBatch() {
    RecordBatch done = current;
    current = null;
    controls.addAll(gate.finish(done));
  }

  /** A checkpoint whose barrier has been received and may overtake records; null if none. */
  CheckpointRequest pollAnnounced() {
    return gate.pollAnnounced();
  }

  /** Whether a snapshot can be taken now, before all that has been received. */
  boolean canCapture() {
    return controls.isEmpty() && !isFiring
        || chain.isInterruptible()
            && controls.stream()
                .noneMatch(
                    control ->
                        control instanceof ControlElement.CheckpointBarrier barrier
                            && barrier.request().type().stops());
  }

  /** Starts to capture what the barriers of a checkpoint overtake. */
  void capture(InFlightCapture capture) {
    controls.removeIf(
        control ->
            control instanceof ControlElement.CheckpointBarrier barrier
                && barrier.request().checkpoint() == capture.request().checkpoint());
    gate.capture(capture, current, position);
  }

  /** Looks for barriers that captures wait for. */
  void advanceCaptures() {
    gate.advanceCaptures();
  }

  /** Puts records of a checkpoint before all input. */
  void restore(TaskRestore restore) {
    gate.restore(restore);
  }

  /** Forgets a checkpoint: channels that its barrier blocks go on. */
  void abort(long checkpoint) {
    gate.abort(checkpoint);
  }

  /** Drops all batches and gives their network buffers back. */
  void close() {
    if (current != null) {
      gate.drop(current);
      current = null;
    }
    gate.close();
  }

  /** Describes the input for the diagnosis of a hang; other threads may see stale values. */
  @Override
  public String toString() {
    return (current == null ? "no batch" : "at record " + position)
        + ", "
        + gate
        + ", "
        + controls.size()
        + " control elements";
  }
}
