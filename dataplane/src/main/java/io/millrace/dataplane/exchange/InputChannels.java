package io.millrace.dataplane.exchange;

import io.millrace.dataplane.metrics.EventTimeMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.snapshot.AbortedCheckpoints;
import io.millrace.task.InputSubtask;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The state of a consumer's channels: which have ended, the watermark and the status of each, and
 * which are blocked by a checkpoint barrier until the others have received it. Channels have
 * consecutive numbers across edges. Belongs to the task's step.
 */
final class InputChannels {
  private final List<ExchangeEdge> edges;
  private final EventTimeMetrics eventTimeMetrics;
  private final AlignmentListener alignments;
  private final int[] base;
  private final int[] firstProducer;
  private final int channels;
  private BitSet ended;
  private int endedCount;
  private long[] watermarks;
  private BitSet idle;
  private boolean allIdle;
  private long watermark = Long.MIN_VALUE;
  private long highest = Long.MIN_VALUE;

  /** The checkpoint whose barriers are aligned, or were aligned last; null before the first. */
  private CheckpointRequest barrier;

  /** The channels that have its barrier and are blocked; null if none is. */
  private BitSet aligned;

  /** Aborted checkpoints whose barriers may still arrive. */
  private final AbortedCheckpoints aborted = new AbortedCheckpoints();

  /** Batches of blocked channels, which are after the barrier. */
  private ArrayDeque<RecordBatch> held;

  /** Batches that go before those of the queue. */
  private ArrayDeque<RecordBatch> replay;

  /** The captures of checkpoints whose barriers have not come on all channels, in order. */
  private final List<InFlightCapture> captures = new ArrayList<>();

  /**
   * @param eventTimeMetrics gets the watermark of the inputs
   */
  InputChannels(
      List<ExchangeEdge> edges,
      int subtask,
      EventTimeMetrics eventTimeMetrics,
      AlignmentListener alignments) {
    this.edges = edges;
    this.alignments = alignments;
    this.eventTimeMetrics = eventTimeMetrics;
    base = new int[edges.size()];
    firstProducer = new int[edges.size()];
    int next = 0;
    for (int i = 0; i < edges.size(); i++) {
      base[i] = next;
      firstProducer[i] = edges.get(i).firstProducer(subtask);
      next += edges.get(i).endProducer(subtask) - firstProducer[i];
    }
    channels = next;
  }

  int channel(ExchangeEdge edge, int producer) {
    return base[edge.input()] + producer - firstProducer[edge.input()];
  }

  int count() {
    return channels;
  }

  /** The subtask that sends on a channel. Any thread may call it. */
  InputSubtask origin(int channel) {
    int edge = indexOfEdge(channel);
    return new InputSubtask(
        edges.get(edge).source().id(), channel - base[edge] + firstProducer[edge]);
  }

  private int indexOfEdge(int channel) {
    int edge = base.length - 1;
    while (base[edge] > channel) {
      edge--;
    }
    return edge;
  }

  private ExchangeEdge edgeOf(int channel) {
    return edges.get(indexOfEdge(channel));
  }

  boolean allEnded() {
    return endedCount == channels;
  }

  /** The next batch of a channel that is not blocked; batches of blocked channels are held. */
  Optional<RecordBatch> next(Supplier<RecordBatch> queue) {
    while (true) {
      RecordBatch batch = replay == null ? null : replay.poll();
      if (batch == null) {
        batch = queue.get();
        if (batch == null) {
          return Optional.empty();
        }
        if (!captures.isEmpty()) {
          capture(batch);
        }
      }
      if (aligned == null || !aligned.get(batch.channel)) {
        return Optional.of(batch);
      }
      held.add(batch);
    }
  }

  // --- unaligned checkpoints

  /**
   * Starts to capture what the barriers of a checkpoint overtake: what the task has not processed
   * of each channel, up to the barrier on it. Batches that are still to come are captured when they
   * leave the queue, before the task sees them.
   *
   * @param processing captures the batch that the task processes now
   */
  void capture(
      InFlightCapture capture,
      FrameReassembler reassembler,
      Runnable processing,
      Supplier<RecordBatch> queue) {
    CheckpointRequest request = capture.request();
    BitSet missing = new BitSet(channels);
    boolean isAligned =
        barrier != null && barrier.checkpoint() == request.checkpoint() && aligned == null;
    if (!isAligned) {
      missing.set(0, channels);
      if (ended != null) {
        missing.andNot(ended);
      }
      if (aligned != null) {
        if (barrier.checkpoint() == request.checkpoint()) {
          missing.andNot(aligned);
        } else {
          alignments.alignmentSuperseded(barrier, request);
        }
        unblock();
      }
    }
    if (barrier == null || barrier.checkpoint() < request.checkpoint()) {
      barrier = request;
    }
    capture.expect(missing);
    for (int channel = 0; channel < channels; channel++) {
      captureBegin(capture, channel, reassembler);
    }
    processing.run();
    if (replay != null) {
      replay.forEach(capture::received);
    }
    if (!capture.isInputComplete()) {
      captures.add(capture);
      drain(queue);
    }
  }

  private void captureBegin(InFlightCapture capture, int channel, FrameReassembler reassembler) {
    boolean isOpen = ended == null || !ended.get(channel);
    if (isOpen
        && watermarks != null
        && watermarks[channel] > Long.MIN_VALUE
        && watermarks[channel] < Long.MAX_VALUE) {
      InputSubtask origin = origin(channel);
      capture.reached(edgeOf(channel), origin.subtask(), watermarks[channel]);
    }
    if (capture.isMissing(channel)) {
      reassembler.partial(channel).ifPresent(part -> capture.begun(channel, part));
    }
  }

  boolean isCapturing() {
    return !captures.isEmpty();
  }

  /** Moves batches out of the queue and captures them. */
  void drain(Supplier<RecordBatch> queue) {
    if (replay == null) {
      replay = new ArrayDeque<>();
    }
    RecordBatch batch;
    while (!captures.isEmpty() && (batch = queue.get()) != null) {
      capture(batch);
      replay.add(batch);
    }
  }

  private void capture(RecordBatch batch) {
    captures.forEach(capture -> capture.received(batch));
    captures.removeIf(InFlightCapture::isInputComplete);
  }

  /** Puts restored batches before all others. */
  void restore(List<RecordBatch> batches) {
    replay = new ArrayDeque<>(batches);
  }

  // --- control elements

  /** Applies a control element and returns those that go on to the operators. */
  List<ControlElement> control(int channel, ControlElement control) {
    List<ControlElement> out = new ArrayList<>(2);
    if (control instanceof ControlElement.Watermark mark) {
      watermark(channel, mark.time(), out);
    } else if (control instanceof ControlElement.CheckpointBarrier received) {
      barrier(channel, received, out);
    } else if (control instanceof ControlElement.WatermarkStatus status) {
      status(channel, status, out);
    } else if (control == ControlElement.EndOfInput.INSTANCE) {
      end(channel, out);
    } else {
      throw new IllegalStateException("Unknown control element " + control);
    }
    return out;
  }

  private void watermark(int channel, long time, List<ControlElement> out) {
    if (watermarks == null) {
      watermarks = new long[channels];
      Arrays.fill(watermarks, Long.MIN_VALUE);
    }
    long before = watermarks[channel];
    watermarks[channel] = Math.max(before, time);
    if (time > highest) {
      highest = time;
      eventTimeMetrics.highestInput(time);
    }
    if (before <= watermark) {
      advance(out);
    }
  }

  private void status(
      int channel, ControlElement.WatermarkStatus status, List<ControlElement> out) {
    if (idle == null) {
      idle = new BitSet(channels);
    }
    idle.set(channel, status == ControlElement.WatermarkStatus.IDLE);
    if (status == ControlElement.WatermarkStatus.ACTIVE && allIdle) {
      allIdle = false;
      out.add(ControlElement.WatermarkStatus.ACTIVE);
    }
    advance(out);
  }

  private boolean holdsBack(int channel) {
    return (ended == null || !ended.get(channel)) && (idle == null || !idle.get(channel));
  }

  /** Event time is the minimum of the channels that are neither idle nor ended. */
  private void advance(List<ControlElement> out) {
    long lowest = Long.MAX_VALUE;
    boolean held = false;
    int slowest = -1;
    for (int i = 0; i < channels; i++) {
      long reached = watermarks == null ? Long.MIN_VALUE : watermarks[i];
      if (holdsBack(i)) {
        held = true;
        if (slowest < 0 || reached < lowest) {
          slowest = i;
          lowest = reached;
        }
      }
    }
    // If there is no such channel, the maximum counts, in whichever order channels became idle.
    long now = held ? lowest : highest;
    if (now > watermark) {
      watermark = now;
      out.add(new ControlElement.Watermark(now));
    }
    if (watermarks != null || idle != null) {
      eventTimeMetrics.inputs(watermark, slowest, idle == null ? 0 : idle.cardinality());
    }
    if (!held && !allIdle) {
      allIdle = true;
      out.add(ControlElement.WatermarkStatus.IDLE);
    }
  }

  /**
   * Barriers of a checkpoint arrive in the order of checkpoints on each channel, and a channel that
   * has one is blocked. So the barrier of a later checkpoint on a channel without the current one
   * means that the current one will not come there: a producer has given it up.
   */
  private void barrier(
      int channel, ControlElement.CheckpointBarrier received, List<ControlElement> out) {
    CheckpointRequest request = received.request();
    long checkpoint = request.checkpoint();
    if (ended != null && ended.get(channel)) {
      return;
    }
    if (barrier == null || checkpoint > barrier.checkpoint()) {
      if (aligned != null) {
        unblock();
        alignments.alignmentSuperseded(barrier, request);
      }
      barrier = request;
      boolean isAborted = aborted.contains(checkpoint);
      aborted.removeUpTo(checkpoint);
      if (isAborted) {
        return;
      }
      aligned = new BitSet(channels);
      if (held == null) {
        held = new ArrayDeque<>();
      }
      alignments.alignmentStarted(request);
    } else if (aligned == null || checkpoint < barrier.checkpoint()) {
      // The checkpoint was superseded or aborted, or its alignment is over.
      return;
    }
    aligned.set(channel);
    completeBarrier(out);
  }

  private void completeBarrier(List<ControlElement> out) {
    if (aligned == null || aligned.cardinality() + endedCount < channels) {
      return;
    }
    unblock();
    out.add(new ControlElement.CheckpointBarrier(barrier));
  }

  /** Lets the batches of blocked channels go on before all others. */
  private void unblock() {
    aligned = null;
    if (held == null || held.isEmpty()) {
      return;
    }
    if (replay != null) {
      held.addAll(replay);
    }
    ArrayDeque<RecordBatch> empty = replay == null ? new ArrayDeque<>() : replay;
    empty.clear();
    replay = held;
    held = empty;
  }

  /**
   * Forgets a checkpoint: unblocks the channels that have its barrier and ignores those to come.
   */
  void abort(long checkpoint) {
    captures.removeIf(capture -> capture.checkpoint() == checkpoint);
    if (barrier != null && checkpoint <= barrier.checkpoint()) {
      if (checkpoint == barrier.checkpoint() && aligned != null) {
        unblock();
      }
      return;
    }
    aborted.add(checkpoint);
  }

  private void end(int channel, List<ControlElement> out) {
    if (ended == null) {
      ended = new BitSet(channels);
    }
    if (!ended.get(channel)) {
      ended.set(channel);
      endedCount++;
      if (idle != null) {
        // An ended channel does not count as idle.
        idle.clear(channel);
      }
    }
    if (allEnded()) {
      return;
    }
    completeBarrier(out);
    advance(out);
  }

  /** Drops the batches of blocked channels. */
  void discard() {
    if (held != null) {
      held.forEach(RecordBatch::release);
    }
    if (replay != null) {
      replay.forEach(RecordBatch::release);
    }
  }

  @Override
  public String toString() {
    return endedCount + " of " + channels + " channels ended";
  }
}
