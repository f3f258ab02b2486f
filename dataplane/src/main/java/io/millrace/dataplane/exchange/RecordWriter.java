package io.millrace.dataplane.exchange;

import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.TaskClock;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.operator.TaskOutput;
import io.millrace.graph.JobEdge;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.Future;

/**
 * Writes the records of a task to one edge. It holds an open batch and the credits of each channel.
 * A credit allows one batch to a consumer on this host, or one frame to a consumer on another host.
 * Batches without credit wait here, in order. Per-channel objects are created with the first
 * record, so that an idle task has none.
 *
 * <p>Belongs to the task's step, except for {@link #credit}, which consumers call.
 */
public abstract class RecordWriter extends TaskOutput {
  private static final VarHandle CREDITS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int LARGEST_BATCH = 512;
  private static final int SMALLEST_BATCH = 16;
  private static final int OPEN_RECORDS = 32 * 1024;
  private static final int OVERFLOW_RECORDS = 8 * 1024;

  final ExchangeEdge edge;
  private final DeploymentExchange exchange;
  final int first;
  final int channels;
  private final int largest;
  private final int window;
  private final TaskClock clock;
  private final FlushPolicy flushPolicy;
  private final SerializationCheck check;

  /** By channel, minus the number of batches or frames in flight; never above 0. */
  private int[] credits;

  private RecordBatch[] open;
  private BitSet opened;
  private RecordBatch[] waitingFirst;
  private RecordBatch[] waitingLast;
  private BitSet waiting;
  private int waitingRecords;

  /** Whether the end of input was written. */
  private boolean ended;

  private int capacity = SMALLEST_BATCH;

  /** The time at which the first open batch was started, if the flush policy is timed. */
  private long openSince;

  /** Wakes the task when the open batches are due. */
  private Future<?> flushTimer;

  private long flushTime;

  /** The size of the records that were sent to another host last. */
  private float bytesPerRecord;

  RecordWriter(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
    super(task);
    this.edge = edge;
    this.exchange = exchange;
    this.clock = task.clock();
    this.first = edge.firstConsumer(task.subtask());
    this.channels = edge.endConsumer(task.subtask()) - first;
    this.flushPolicy = exchange.flushPolicy();
    this.largest =
        flushPolicy.largestBatch(
            Math.max(SMALLEST_BATCH, Math.min(LARGEST_BATCH, OPEN_RECORDS / channels)));
    this.window = edge.window(task.subtask());
    this.check = SerializationCheck.of(task, edge);
  }

  public final JobEdge edge() {
    return edge.edge();
  }

  private void start() {
    credits = new int[channels];
    open = new RecordBatch[channels];
    opened = new BitSet(channels);
  }

  final void append(int channel, Object record) {
    if (open == null) {
      start();
    }
    RecordBatch batch = open[channel];
    if (batch == null) {
      batch = new RecordBatch(Math.min(capacity, largest));
      open[channel] = batch;
      if (flushPolicy.isTimed() && opened.isEmpty()) {
        openSince = System.nanoTime();
      }
      opened.set(channel);
    }
    long timestamp = clock.timestamp;
    if (timestamp != Timestamps.NONE || batch.timestamps != null) {
      batch.setTimestamp(timestamp);
    }
    batch.records[batch.size++] = record;
    if (batch.size == batch.records.length) {
      if (batch.size < largest) {
        batch.grow(largest);
        return;
      }
      capacity = largest;
      ship(channel);
      if (waitingRecords > OVERFLOW_RECORDS) {
        task.awaitRoom(this);
      }
    }
  }

  private void ship(int channel) {
    RecordBatch batch = open[channel];
    open[channel] = null;
    opened.clear(channel);
    offer(channel, batch);
  }

  private void offer(int channel, RecordBatch batch) {
    if ((waiting == null || waitingFirst[channel] == null) && send(channel, batch)) {
      return;
    }
    if (waiting == null) {
      waitingFirst = new RecordBatch[channels];
      waitingLast = new RecordBatch[channels];
      waiting = new BitSet(channels);
    }
    if (waitingFirst[channel] == null) {
      waitingFirst[channel] = batch;
      waiting.set(channel);
    } else {
      waitingLast[channel].next = batch;
    }
    waitingLast[channel] = batch;
    waitingRecords += batch.size + 1;
    full(true);
  }

  /** Sends a batch as far as credits allow; true if it is sent completely. */
  private boolean send(int channel, RecordBatch batch) {
    int consumer = first + channel;
    ExchangeTask target = edge.targets()[consumer];
    if (!batch.hasCredit) {
      return sendBarrier(consumer, batch);
    }
    if (target == null) {
      return sendRemotely(channel, batch);
    }
    if (!takeCredit(channel)) {
      return false;
    }
    if (check.isDue(batch)) {
      check.check(batch);
    }
    task.metrics().add(TaskIoMetrics.RECORDS_OUT, batch.size);
    pass(target, batch);
    return true;
  }

  private void pass(ExchangeTask target, RecordBatch batch) {
    batch.edge = edge;
    batch.producer = task.subtask();
    batch.next = null;
    target.receive(batch);
  }

  /** Sends a barrier without a credit; false if the stream to another host is not open yet. */
  private boolean sendBarrier(int consumer, RecordBatch batch) {
    InFlightCapture capture = batch.waitingCapture;
    ExchangeTask target = edge.targets()[consumer];
    if (target == null) {
      CheckpointRequest request = ((ControlElement.CheckpointBarrier) batch.control).request();
      RemoteOutput output = exchange.remoteOutput(edge.targetHosts()[consumer]);
      if (!output.sendBarrier(task.subtask(), edge, consumer, request)) {
        return false;
      }
    } else {
      batch.waitingCapture = null;
      pass(target, batch);
    }
    if (capture != null) {
      capture.barrierLeft();
    }
    return true;
  }

  private boolean sendRemotely(int channel, RecordBatch batch) {
    int consumer = first + channel;
    RemoteOutput remoteOutput = exchange.remoteOutput(edge.targetHosts()[consumer]);
    while (takeCredit(channel)) {
      if (batch.outbound == null) {
        remoteOutput.begin(batch, bytesPerRecord);
        task.metrics().add(TaskIoMetrics.RECORDS_OUT, batch.size);
      }
      OutboundBatch outbound = batch.outbound;
      task.metrics().add(TaskIoMetrics.BYTES_OUT, remoteOutput.send(task, edge, consumer, batch));
      if (outbound.bytesPerRecord > 0) {
        bytesPerRecord = outbound.bytesPerRecord;
      }
      if (batch.outbound == null) {
        return true;
      }
    }
    return false;
  }

  private boolean takeCredit(int channel) {
    if ((int) CREDITS.getVolatile(credits, channel) + window(first + channel) <= 0) {
      return false;
    }
    CREDITS.getAndAdd(credits, channel, -1);
    return true;
  }

  /** The number of batches or frames that may be in flight to a consumer. */
  private int window(int consumer) {
    return edge.targets()[consumer] != null
        ? window
        : Math.min(window, exchange.remoteOutput(edge.targetHosts()[consumer]).window());
  }

  /** Adds credits of a consumer. The consumer's thread or a transport thread calls it. */
  public final void credit(int consumer, int count) {
    int now = (int) CREDITS.getAndAdd(credits, consumer - first, count) + count;
    if (count < 1 || now > 0) {
      throw new IllegalStateException("it gives back " + count + " credits that were not used");
    }
    int window = window(consumer);
    // Wakes the producer for half a window, because a wake costs more than a batch. The last batch
    // in flight always completes the window, so no wake is lost.
    if ((now + window) * 2 >= window) {
      task.roomMade();
    }
  }

  @Override
  public int consumers() {
    return channels;
  }

  @Override
  public void retry() {
    if (waiting == null) {
      return;
    }
    for (int channel = waiting.nextSetBit(0); channel >= 0; ) {
      RecordBatch batch = waitingFirst[channel];
      while (batch != null) {
        // Read before sending: a consumer on this host owns the batch afterwards.
        RecordBatch next = batch.next;
        int records = batch.size;
        if (!send(channel, batch)) {
          break;
        }
        waitingFirst[channel] = next;
        waitingRecords -= records + 1;
        batch = next;
      }
      if (waitingFirst[channel] == null) {
        waitingLast[channel] = null;
        waiting.clear(channel);
      }
      channel = waiting.nextSetBit(channel + 1);
    }
    full(!waiting.isEmpty());
  }

  @Override
  public void flush() {
    if (opened == null || opened.isEmpty()) {
      return;
    }
    if (flushPolicy.mode() != FlushPolicy.Mode.ADAPTIVE) {
      long now = System.nanoTime();
      long rest = flushPolicy.rest(now - openSince);
      if (rest > 0) {
        flushAt(now, rest);
        return;
      }
    }
    for (int channel = opened.nextSetBit(0); channel >= 0; ) {
      if (open[channel].size * 4 < capacity) {
        capacity = Math.max(SMALLEST_BATCH, capacity / 2);
      }
      ship(channel);
      channel = opened.nextSetBit(channel + 1);
    }
  }

  private void flushAt(long now, long rest) {
    // Compares times, because the future of a timer is done only after the wake has returned.
    if (flushPolicy.isTimed() && (flushTimer == null || flushTime - now <= 0)) {
      flushTime = now + rest;
      flushTimer = task.wakeAfter(Duration.ofNanos(rest));
    }
  }

  @Override
  public void close() {
    if (flushTimer != null) {
      flushTimer.cancel(false);
    }
  }

  @Override
  public boolean isOverrun() {
    return waitingRecords > OVERFLOW_RECORDS / 2;
  }

  @Override
  public void watermark(long watermark) {
    control(new ControlElement.Watermark(watermark));
    // A generator may emit a watermark for every record of a call that never returns.
    if (waitingRecords > OVERFLOW_RECORDS) {
      task.awaitRoom(this);
    }
  }

  @Override
  public void idle(boolean idle) {
    control(idle ? ControlElement.WatermarkStatus.IDLE : ControlElement.WatermarkStatus.ACTIVE);
  }

  @Override
  public void control(ControlElement control) {
    if (open == null) {
      start();
    }
    ended |= control == ControlElement.EndOfInput.INSTANCE;
    for (int channel = 0; channel < channels; channel++) {
      RecordBatch batch = open[channel] == null ? new RecordBatch(0) : open[channel];
      batch.control = control;
      open[channel] = null;
      offer(channel, batch);
    }
    opened.clear();
  }

  /**
   * Sends a barrier to all consumers, after all records that were processed so far. It is aligned
   * until {@link #overtake} is called.
   *
   * @param capture waits until the barrier has left on all channels, null if nothing does
   */
  public void barrier(CheckpointRequest request, InFlightCapture capture) {
    if (open == null) {
      start();
    }
    for (int channel = 0; channel < channels; channel++) {
      if (ended && (waiting == null || waitingFirst[channel] == null)) {
        continue; // The end is sent, and no barrier follows it.
      }
      if (open[channel] != null) {
        ship(channel);
      }
      RecordBatch batch = RecordBatch.barrier(request);
      batch.waitingCapture = capture;
      if (capture != null) {
        capture.barrierWaits();
      }
      offer(channel, batch);
    }
  }

  /**
   * Sends a barrier that waits before the batches that wait for room, which are captured. On a
   * channel whose end is sent there is no barrier.
   */
  public void overtake(InFlightCapture capture) {
    if (waiting == null) {
      return;
    }
    for (int channel = waiting.nextSetBit(0); channel >= 0; ) {
      moveToFront(channel, capture);
      channel = waiting.nextSetBit(channel + 1);
    }
    retry();
  }

  private void moveToFront(int channel, InFlightCapture capture) {
    RecordBatch before = null;
    RecordBatch batch = waitingFirst[channel];
    while (batch != null && batch.waitingCapture != capture) {
      before = batch;
      batch = batch.next;
    }
    if (batch == null || before == null) {
      return;
    }
    for (RecordBatch each = waitingFirst[channel]; each != batch; each = each.next) {
      capture.overtaken(edge, first + channel, each);
    }
    before.next = batch.next;
    if (waitingLast[channel] == batch) {
      waitingLast[channel] = before;
    }
    batch.next = waitingFirst[channel];
    waitingFirst[channel] = batch;
  }

  /** Describes the output for the diagnosis of a hang; other threads may see stale values. */
  @Override
  public String toString() {
    BitSet stuck = waiting == null ? new BitSet() : (BitSet) waiting.clone();
    StringBuilder text = new StringBuilder("to '" + edge.target().name() + "'");
    stuck.stream()
        .forEach(
            channel ->
                text.append(" ")
                    .append(first + channel + 1)
                    .append(edge.targets()[first + channel] == null ? " (remote, " : " (local, ")
                    .append(-(int) CREDITS.getVolatile(credits, channel))
                    .append(" in flight)"));
    return text
        + (stuck.isEmpty() ? " nothing waits" : " waits with " + waitingRecords + " records");
  }
}
