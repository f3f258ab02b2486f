package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.snapshot.InFlightElement;
import io.millrace.dataplane.snapshot.InFlightSnapshot;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The elements that the barriers of one checkpoint overtake at one task. It is complete when a
 * barrier has come on every input channel and has left on every output channel. Each element is
 * captured on one side only: the consumer has what was sent before the barrier, the producer what
 * was not. A batch that the producer has sent in part is the producer's.
 *
 * <p>Statuses of channels are not captured: producers start as active and report it if they are
 * idle. Ends of channels are not captured either: producers that have finished end their channels
 * again. Belongs to the task's step.
 */
public final class InFlightCapture {
  private final CheckpointRequest request;
  private final Map<Integer, InFlightSnapshot> inputs = new TreeMap<>();
  private final Map<Integer, InFlightSnapshot> outputs = new TreeMap<>();

  /** The input channels that the barrier has not come on. */
  private BitSet missing = new BitSet(0);

  /** The frames of incomplete batches by input channel. */
  private final Map<Integer, List<InFlightElement.EncodedPart>> incomplete = new HashMap<>();

  /** The number of output channels on which the barrier waits. */
  private int waitingBarriers;

  public InFlightCapture(CheckpointRequest request) {
    this.request = request;
  }

  public CheckpointRequest request() {
    return request;
  }

  long checkpoint() {
    return request.checkpoint();
  }

  public boolean isComplete() {
    return isInputComplete() && waitingBarriers == 0;
  }

  /** The captured elements of each edge and side that has some. */
  public List<InFlightSnapshot> snapshots() {
    List<InFlightSnapshot> all = new ArrayList<>(inputs.values());
    all.addAll(outputs.values());
    all.removeIf(InFlightSnapshot::isEmpty);
    return all;
  }

  // --- input

  boolean isInputComplete() {
    return missing.isEmpty();
  }

  /** Starts with the channels on which the barrier is still to come. */
  void expect(BitSet channels) {
    missing = channels;
  }

  boolean isMissing(int channel) {
    return missing.get(channel);
  }

  /** Adds the event time that a channel has reached. */
  void reached(ExchangeEdge edge, int producer, long watermark) {
    input(edge).add(producer, new InFlightElement.Watermark(watermark));
  }

  /** The frames of a batch that is not complete at the barrier. */
  void begun(int channel, InFlightElement.EncodedPart part) {
    incomplete.computeIfAbsent(channel, any -> new ArrayList<>()).add(part);
  }

  /** Adds the rest of a batch that the task processes now. */
  void processing(RecordBatch batch, int position) {
    if (missing.get(batch.channel)) {
      records(batch, position);
      control(batch);
    }
  }

  /** Adds a batch that the task has not begun, or notes that the barrier has come. */
  void received(RecordBatch batch) {
    int channel = batch.channel;
    if (!missing.get(channel)) {
      return;
    }
    if (batch.control instanceof ControlElement.CheckpointBarrier barrier) {
      if (barrier.request().checkpoint() == checkpoint()) {
        arrived(channel);
      }
      return;
    }
    if (batch.frame == null) {
      records(batch, 0);
    } else {
      begun(channel, batch.frame.share());
      if (batch.frame.hasMore()) {
        return;
      }
      input(batch.edge)
          .add(batch.producer, new InFlightElement.Encoded(incomplete.remove(channel)));
    }
    control(batch);
  }

  private void records(RecordBatch batch, int from) {
    if (from < batch.size) {
      input(batch.edge)
          .add(
              batch.producer,
              new InFlightElement.Records(batch.records, batch.timestamps(), from, batch.size));
    }
  }

  private void control(RecordBatch batch) {
    if (batch.control instanceof ControlElement.Watermark watermark) {
      reached(batch.edge, batch.producer, watermark.time());
    } else if (batch.control == ControlElement.EndOfInput.INSTANCE) {
      arrived(batch.channel);
    }
  }

  /** The producer has the rest of a batch that is incomplete now, and its beginning, too. */
  private void arrived(int channel) {
    missing.clear(channel);
    incomplete.remove(channel);
  }

  private InFlightSnapshot input(ExchangeEdge edge) {
    return inputs.computeIfAbsent(edge.edge().id(), id -> new InFlightSnapshot(id, true));
  }

  // --- outputs

  void barrierWaits() {
    waitingBarriers++;
  }

  void barrierLeft() {
    waitingBarriers--;
  }

  /** Adds a batch that the barrier has overtaken at the producer. */
  void overtaken(ExchangeEdge edge, int consumer, RecordBatch batch) {
    InFlightSnapshot output =
        outputs.computeIfAbsent(edge.edge().id(), id -> new InFlightSnapshot(id, false));
    int from = batch.outbound == null ? 0 : batch.outbound.firstUnsent();
    if (from < batch.size) {
      output.add(
          consumer,
          new InFlightElement.Records(batch.records, batch.timestamps(), from, batch.size));
    }
    if (batch.control instanceof ControlElement.Watermark watermark) {
      output.add(consumer, new InFlightElement.Watermark(watermark.time()));
    }
  }
}
