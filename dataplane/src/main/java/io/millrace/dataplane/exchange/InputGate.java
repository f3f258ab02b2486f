package io.millrace.dataplane.exchange;

import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.task.TaskEventTime;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The input of a task: its queue, its channels and the frames that are not complete yet. Belongs to
 * the task's step, except for {@link #receive}, {@link #expects} and {@link #eventTime}, which any
 * thread may call.
 */
public final class InputGate {
  private final TaskEnvironment task;
  private final List<ExchangeEdge> edges;
  private final InputQueue queue = new InputQueue();
  private final InputChannels channels;
  private final FrameReassembler reassembler;

  /** The checkpoints of barriers in the queue that may overtake records. */
  private final Queue<CheckpointRequest> announced = new ConcurrentLinkedQueue<>();

  /** The last frame, which knows the way to its producer; null before the first one. */
  private InboundFrame lastFrame;

  /** The request for splits that waits for the first frame; 0 if none. */
  private long waitingRequest;

  public InputGate(TaskEnvironment task, List<ExchangeEdge> edges, AlignmentListener alignments) {
    this.task = task;
    this.edges = edges;
    this.channels = new InputChannels(edges, task.subtask(), task.eventTime(), alignments);
    this.reassembler = new FrameReassembler(task);
  }

  /** Queues a batch. */
  public void receive(RecordBatch batch) {
    batch.channel = channels.channel(batch.edge, batch.producer);
    // Read before: the step owns the batch afterwards.
    ControlElement control = batch.control;
    queue.put(batch);
    if (control instanceof ControlElement.CheckpointBarrier barrier
        && barrier.request().barriers().unaligned()) {
      announced.add(barrier.request());
    }
  }

  /**
   * A checkpoint whose barrier is in the queue and may overtake records; null if there is none.
   * Each barrier is announced once.
   */
  public CheckpointRequest pollAnnounced() {
    return announced.poll();
  }

  /**
   * Starts to capture what the barriers of a checkpoint overtake.
   *
   * @param processing the batch that the task processes now, null if there is none
   * @param position its first record that is not processed
   */
  public void capture(InFlightCapture capture, RecordBatch processing, int position) {
    queue.capture(
        channels,
        capture,
        reassembler,
        () -> {
          if (processing != null) {
            capture.processing(processing, position);
          }
        });
  }

  /** Looks for barriers in the queue, if a capture waits for some. */
  public void advanceCaptures() {
    if (channels.isCapturing()) {
      queue.drainTo(channels);
    }
  }

  /** Puts records of a checkpoint before all input. */
  public void restore(TaskRestore restore) {
    channels.restore(new RestoredInput(task, edges, channels).read(restore));
  }

  /** Whether a subtask on another host has not sent all its records to this task. */
  public boolean expects(int host) {
    int subtask = task.subtask();
    for (ExchangeEdge edge : edges) {
      for (int p = edge.firstProducer(subtask); p < edge.endProducer(subtask); p++) {
        if (edge.sourceHosts()[p] == host && !queue.hasEnded(channels.channel(edge, p))) {
          return true;
        }
      }
    }
    return false;
  }

  /** The progress of event time, empty if the task has none. */
  public Optional<TaskEventTime> eventTime() {
    return task.eventTime().read(channels.count(), channels::origin);
  }

  public boolean hasNoChannels() {
    return channels.count() == 0;
  }

  /** Whether all channels have ended. */
  public boolean isEnded() {
    return channels.allEnded();
  }

  /** The next batch with its records deserialised; empty if none is complete. */
  public Optional<RecordBatch> poll() {
    Optional<RecordBatch> next;
    do {
      next = queue.next(channels);
    } while (next.isPresent() && next.get().frame != null && !reassembler.open(next.get()));
    if (next.isPresent()) {
      task.metrics().add(TaskIoMetrics.RECORDS_IN, next.get().size);
    }
    return next;
  }

  /**
   * Gives the credit of a processed batch back to its producer.
   *
   * @return the control elements that go on to the operators
   */
  public List<ControlElement> finish(RecordBatch batch) {
    if (batch.frame != null) {
      batch.frame.credit();
      lastFrame = batch.frame;
      if (waitingRequest > 0) {
        lastFrame.requestSplits(waitingRequest);
        waitingRequest = 0;
      }
    } else if (batch.hasCredit) {
      batch.edge.sources()[batch.producer].credit(batch.edge.output(), task.subtask(), 1);
    }
    return batch.control == null ? List.of() : channels.control(batch.channel, batch.control);
  }

  /**
   * Asks the enumerator of a source for splits. The input has one channel, from the enumerator.
   *
   * @param total the number of splits that were requested since the start, with this request
   */
  public void requestSplits(long total) {
    ExchangeTask enumerator = edges.get(0).sources()[0];
    if (enumerator != null) {
      enumerator.requestSplits(task.subtask(), total);
    } else if (lastFrame != null) {
      lastFrame.requestSplits(total);
    } else {
      waitingRequest = total;
    }
  }

  /** Forgets a checkpoint: channels that its barrier blocks go on. */
  public void abort(long checkpoint) {
    channels.abort(checkpoint);
  }

  /** Drops a batch that was polled and not finished. */
  public void drop(RecordBatch batch) {
    batch.release();
  }

  /** Drops all batches and gives their network buffers back. */
  public void close() {
    queue.close();
    channels.discard();
    reassembler.clear();
  }

  @Override
  public String toString() {
    return channels.toString();
  }
}
