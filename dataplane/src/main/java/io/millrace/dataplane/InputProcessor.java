package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.cores.Tasklet.StepResult;
import io.millrace.task.TaskEventTime;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The input side of a task: takes batches and pushes what is in them into the chain. Lives in the
 * task's step, but for {@link #arrive} and {@link #lacks}, which others reach.
 */
final class InputProcessor {
  private static final int PREFETCH = 32;

  private final Task task;
  private final OperatorChain chain;
  private final InputQueue inbox = new InputQueue();
  private final InputGate inputs;
  private final FrameReassembler reassembler;

  /** What came out of channels and has not gone through the chain yet, in its order. */
  private final ArrayDeque<ControlElement> controls = new ArrayDeque<>();

  private RecordBatch current;
  private int position;

  /** How far in the batch the head knows what comes. */
  private int prefetched;

  InputProcessor(Task task, OperatorChain chain, InputGate inputs) {
    this.task = task;
    this.chain = chain;
    this.inputs = inputs;
    this.reassembler = new FrameReassembler(task);
  }

  /** Takes a batch in; from any thread. */
  void arrive(RecordBatch batch) {
    batch.channel = inputs.channel(batch.edge, batch.producer);
    inbox.put(batch);
  }

  /** Whether something is still to come from a producer of another host; from any thread. */
  boolean lacks(ExchangeEdge edge, int producer) {
    return !inbox.hasEnded(inputs.channel(edge, producer));
  }

  /** How far event time is, if there is any; from any thread. */
  Optional<TaskEventTime> eventTime(EventTimeMetrics eventTimeMetrics) {
    return eventTimeMetrics.read(inputs.channels(), inputs::origin);
  }

  boolean isEmpty() {
    return inputs.channels() == 0;
  }

  /** Whether all input has come and gone through the chain. */
  boolean isComplete() {
    return inputs.allEnded() && controls.isEmpty();
  }

  /** Works until there is nothing more, no room for output, or the step is over. */
  StepResult consume() {
    StreamOperator head = chain.head();
    TaskClock clock = task.clock();
    while (true) {
      if (!controls.isEmpty() && !passControls() || chain.isTimed() && !passTime(clock)) {
        return task.interrupted();
      }
      if (isComplete()) {
        return StepResult.MORE;
      }
      if (current == null && !takeNext()) {
        return task.idle();
      }
      Object[] records = current.records;
      long[] timestamps = current.timestamps;
      int size = current.size;
      int at = position;
      clock.timestamp = Timestamps.NONE;
      while (at < size) {
        if (at == prefetched) {
          prefetched = Math.min(size, at + PREFETCH);
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

  /** Lets operators do what is due by now; false if they have to go on in another turn. */
  private boolean passTime(TaskClock clock) {
    chain.emitPeriodicWatermarks(System.nanoTime());
    return chain.processingTime(clock.read());
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
    } else {
      chain.control(control);
    }
    return true;
  }

  private boolean takeNext() {
    do {
      Optional<RecordBatch> next = inbox.next(inputs);
      if (next.isEmpty()) {
        current = null;
        return false;
      }
      current = next.get();
    } while (current.frame != null && !reassembler.open(current));
    position = 0;
    prefetched = 0;
    task.metrics().add(TaskIoMetrics.RECORDS_IN, current.size);
    return true;
  }

  private void finishBatch() {
    RecordBatch done = current;
    current = null;
    if (done.frame != null) {
      done.frame.credit();
    } else {
      done.edge.sources()[done.producer].output(done.edge.output()).credit(task.subtask(), 1);
    }
    if (done.control != null) {
      controls.addAll(inputs.control(done.channel, done.control));
    }
  }

  /** Whether the host's loss takes something from this task that it still needs. */
  Optional<Failure> lossOf(int host, Iterable<ExchangeEdge> edges, Failure why) {
    int subtask = task.subtask();
    for (ExchangeEdge edge : edges) {
      for (int p = edge.firstProducer(subtask); p < edge.endProducer(subtask); p++) {
        if (edge.sourceHosts()[p] == host && lacks(edge, p)) {
          return Optional.of(why);
        }
      }
    }
    return Optional.empty();
  }

  /** Gives everything back that nobody will work on any more. */
  void close() {
    inbox.close();
    if (current != null) {
      InputGate.release(current);
      current = null;
    }
    inputs.discard();
    reassembler.clear();
  }

  /** What it waits for, for people who look for what hangs; as exact as another thread can see. */
  @Override
  public String toString() {
    return (current == null ? "nothing to work on" : "at record " + position)
        + ", "
        + inputs
        + ", "
        + controls.size()
        + " controls";
  }
}
