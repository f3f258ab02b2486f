package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.cores.Stepped.Outcome;
import io.millrace.graph.task.TaskEventTime;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The input side of a task: takes batches and pushes what is in them into the chain. Lives in the
 * task's step, but for {@link #arrive} and {@link #lacks}, which others reach.
 */
final class Intake {
  private static final int ANNOUNCED = 32;

  private final Task task;
  private final Chain chain;
  private final Inbox inbox = new Inbox();
  private final Inputs inputs;
  private final Joining joining;

  /** What came out of channels and has not gone through the chain yet, in its order. */
  private final ArrayDeque<Control> controls = new ArrayDeque<>();

  private Batch current;
  private int position;

  /** How far in the batch the head knows what comes. */
  private int announced;

  Intake(Task task, Chain chain, Inputs inputs) {
    this.task = task;
    this.chain = chain;
    this.inputs = inputs;
    this.joining = new Joining(task);
  }

  /** Takes a batch in; from any thread. */
  void arrive(Batch batch) {
    batch.channel = inputs.channel(batch.edge, batch.producer);
    inbox.put(batch);
  }

  /** Whether something is still to come from a producer of another host; from any thread. */
  boolean lacks(EdgePlan edge, int producer) {
    return !inbox.hasEnded(inputs.channel(edge, producer));
  }

  /** How far event time is, if there is any; from any thread. */
  Optional<TaskEventTime> eventTime(EventTimeGauge gauge) {
    return gauge.read(inputs.channels(), inputs::origin);
  }

  boolean isEmpty() {
    return inputs.channels() == 0;
  }

  /** Whether all input has come and gone through the chain. */
  boolean isComplete() {
    return inputs.allEnded() && controls.isEmpty();
  }

  /** Works until there is nothing more, no room for output, or the step is over. */
  Outcome consume() {
    Stage head = chain.head();
    TaskTime time = task.time();
    while (true) {
      if (!controls.isEmpty() && !passControls() || chain.isTimed() && !passTime(time)) {
        return task.interrupted();
      }
      if (isComplete()) {
        return Outcome.MORE;
      }
      if (current == null && !takeNext()) {
        return task.idle();
      }
      Object[] records = current.records;
      long[] timestamps = current.timestamps;
      int size = current.size;
      int at = position;
      time.timestamp = Timestamps.NONE;
      while (at < size) {
        if (at == announced) {
          announced = Math.min(size, at + ANNOUNCED);
          head.announce(records, at, announced);
        }
        if (timestamps != null) {
          time.timestamp = timestamps[at];
        }
        head.push(records[at++]);
        if (task.isFull()) {
          position = at;
          if (!task.hasRoom()) {
            return Outcome.IDLE;
          }
        }
        if (task.isDueForCheck() && task.isStepOver()) {
          position = at;
          return Outcome.MORE;
        }
      }
      position = at;
      finishBatch();
      if (task.isFull() && !task.hasRoom()) {
        return Outcome.IDLE;
      }
    }
  }

  /** Lets operators do what is due by now; false if they have to go on in another turn. */
  private boolean passTime(TaskTime time) {
    chain.pulse(System.nanoTime());
    return chain.processingTime(time.read());
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

  private boolean pass(Control control) {
    if (control instanceof Control.Watermark mark) {
      return chain.eventTime(mark.time());
    } else if (control instanceof Control.Status status) {
      chain.idle(status == Control.Status.IDLE);
    } else {
      chain.control(control);
    }
    return true;
  }

  private boolean takeNext() {
    do {
      Optional<Batch> next = inbox.next(inputs);
      if (next.isEmpty()) {
        current = null;
        return false;
      }
      current = next.get();
    } while (current.arrived != null && !joining.open(current));
    position = 0;
    announced = 0;
    task.meter().add(Meter.RECORDS_IN, current.size);
    return true;
  }

  private void finishBatch() {
    Batch done = current;
    current = null;
    if (done.arrived != null) {
      done.arrived.credit();
    } else {
      done.edge.sources()[done.producer].output(done.edge.output()).credit(task.subtask(), 1);
    }
    if (done.control != null) {
      controls.addAll(inputs.control(done.channel, done.control));
    }
  }

  /** Whether the host's loss takes something from this task that it still needs. */
  Optional<Failure> lossOf(int host, Iterable<EdgePlan> edges, Failure why) {
    int subtask = task.subtask();
    for (EdgePlan edge : edges) {
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
      Inputs.release(current);
      current = null;
    }
    inputs.discard();
    joining.clear();
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
