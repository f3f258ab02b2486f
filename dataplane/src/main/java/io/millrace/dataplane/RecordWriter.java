package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.Future;

/**
 * The producer's end of an edge: open batches, and credits per channel that say how many more a
 * consumer takes: batches where it is on this host, frames of them where it is on another. Batches
 * without credit wait here, in order. Per-channel objects exist from the first record on, so that
 * an idle task costs nothing.
 *
 * <p>Lives in the task's step, but for {@link #credit}, which consumers call.
 */
abstract class RecordWriter extends TaskOutput {
  private static final VarHandle CREDITS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int LARGEST_BATCH = 512;
  private static final int SMALLEST_BATCH = 16;
  private static final int OPEN_RECORDS = 32 * 1024;
  private static final int OVERFLOW_RECORDS = 8 * 1024;

  final ExchangeEdge edge;
  final int first;
  final int channels;
  private final int largest;
  private final int window;
  private final TaskClock clock;
  private final FlushPolicy flushPolicy;
  private final SerializationCheck check;

  /** By channel, how much less than its window may be sent; never above 0. */
  private int[] credits;

  private RecordBatch[] open;
  private BitSet opened;
  private RecordBatch[] waitingFirst;
  private RecordBatch[] waitingLast;
  private BitSet waiting;
  private int waitingRecords;
  private int capacity = SMALLEST_BATCH;

  /** When the first of the open batches was begun, where that counts. */
  private long openSince;

  /** Wakes the task when they have to go. */
  private Future<?> flushTimer;

  private long flushTime;

  /** How long the records were that went to another host last. */
  private float bytesPerRecord;

  RecordWriter(Task task, ExchangeEdge edge) {
    super(task);
    this.edge = edge;
    this.clock = task.clock();
    this.first = edge.firstConsumer(task.subtask());
    this.channels = edge.endConsumer(task.subtask()) - first;
    this.flushPolicy = task.deployment().flushPolicy();
    this.largest =
        flushPolicy.largestBatch(
            Math.max(SMALLEST_BATCH, Math.min(LARGEST_BATCH, OPEN_RECORDS / channels)));
    this.window = edge.window(task.subtask());
    this.check = SerializationCheck.of(task, edge);
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
      batch.stamp(timestamp);
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

  /** Sends a batch as far as there are credits; whether all of it has gone. */
  private boolean send(int channel, RecordBatch batch) {
    int consumer = first + channel;
    Task target = edge.targets()[consumer];
    if (target == null) {
      return sendAway(channel, batch);
    }
    if (!takeCredit(channel)) {
      return false;
    }
    if (check.isDue(batch)) {
      check.check(batch);
    }
    task.metrics().add(TaskIoMetrics.RECORDS_OUT, batch.size);
    batch.edge = edge;
    batch.producer = task.subtask();
    batch.next = null;
    target.arrive(batch);
    return true;
  }

  private boolean sendAway(int channel, RecordBatch batch) {
    int consumer = first + channel;
    RemoteOutput remoteOutput = task.deployment().remoteOutput(edge.targetHosts()[consumer]);
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

  /** How much may be in flight to a consumer. */
  private int window(int consumer) {
    return edge.targets()[consumer] != null
        ? window
        : Math.min(window, task.deployment().remoteOutput(edge.targetHosts()[consumer]).window());
  }

  /** A consumer has finished a batch; called from its thread or from the wire. */
  final void credit(int consumer, int count) {
    int now = (int) CREDITS.getAndAdd(credits, consumer - first, count) + count;
    if (count < 1 || now > 0) {
      throw new IllegalStateException("it gives back " + count + " credits that nobody used");
    }
    int window = window(consumer);
    // Half a window at a time: waking a producer for every single batch costs more than the batch.
    // The last outstanding batch always completes the window, so a wake is never left out.
    if ((now + window) * 2 >= window) {
      task.roomMade();
    }
  }

  @Override
  void retry() {
    if (waiting == null) {
      return;
    }
    for (int channel = waiting.nextSetBit(0); channel >= 0; ) {
      RecordBatch batch = waitingFirst[channel];
      while (batch != null) {
        // Read before it is sent: a consumer of this host has it then.
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
  void flush() {
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
    // Whether the alarm has rung tells its time: its future is done only when the wake is over.
    if (flushPolicy.isTimed() && (flushTimer == null || flushTime - now <= 0)) {
      flushTime = now + rest;
      flushTimer = task.wakeAfter(Duration.ofNanos(rest));
    }
  }

  @Override
  void close() {
    if (flushTimer != null) {
      flushTimer.cancel(false);
    }
  }

  @Override
  boolean isOverrun() {
    return waitingRecords > OVERFLOW_RECORDS / 2;
  }

  @Override
  void watermark(long watermark) {
    control(new ControlElement.Watermark(watermark));
    // A generator may emit one for every record of a call that never ends.
    if (waitingRecords > OVERFLOW_RECORDS) {
      task.awaitRoom(this);
    }
  }

  @Override
  void idle(boolean idle) {
    control(idle ? ControlElement.WatermarkStatus.IDLE : ControlElement.WatermarkStatus.ACTIVE);
  }

  @Override
  void control(ControlElement control) {
    if (open == null) {
      start();
    }
    for (int channel = 0; channel < channels; channel++) {
      RecordBatch batch = open[channel] == null ? new RecordBatch(0) : open[channel];
      batch.control = control;
      open[channel] = null;
      offer(channel, batch);
    }
    opened.clear();
  }

  /** Whom it waits for, for people who look for what hangs; as exact as another thread can see. */
  @Override
  public String toString() {
    BitSet stuck = waiting == null ? new BitSet() : (BitSet) waiting.clone();
    StringBuilder text = new StringBuilder("to '" + edge.target().name() + "'");
    stuck.stream()
        .forEach(
            channel ->
                text.append(" ")
                    .append(first + channel + 1)
                    .append(edge.targets()[first + channel] == null ? " (away, " : " (here, ")
                    .append(-(int) CREDITS.getVolatile(credits, channel))
                    .append(" under way)"));
    return text + (stuck.isEmpty() ? " nothing waits" : " waits, " + waitingRecords + " records");
  }
}
