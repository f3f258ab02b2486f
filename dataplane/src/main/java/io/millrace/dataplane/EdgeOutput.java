package io.millrace.dataplane;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The producer's end of an edge: open batches, and credits per channel that say how many more a
 * consumer takes. Batches without credit wait here, in order. Per-channel objects exist from the
 * first record on, so that an idle task costs nothing.
 *
 * <p>Lives in the task's step, but for {@link #credit}, which consumers call.
 */
abstract class EdgeOutput extends Outlet {
  private static final VarHandle CREDITS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int LARGEST_BATCH = 512;
  private static final int SMALLEST_BATCH = 16;
  private static final int OPEN_RECORDS = 32 * 1024;
  private static final int OVERFLOW_RECORDS = 8 * 1024;

  final EdgePlan plan;
  final int first;
  final int channels;
  private final int largest;
  private final int window;
  private int[] credits;
  private Batch[] open;
  private BitSet opened;
  private Batch[] waitingFirst;
  private Batch[] waitingLast;
  private BitSet waiting;
  private int waitingRecords;
  private int capacity = SMALLEST_BATCH;

  EdgeOutput(Task task, EdgePlan plan) {
    super(task);
    this.plan = plan;
    this.first = plan.firstConsumer(task.subtask());
    this.channels = plan.endConsumer(task.subtask()) - first;
    this.largest = Math.max(SMALLEST_BATCH, Math.min(LARGEST_BATCH, OPEN_RECORDS / channels));
    this.window = Math.max(2, Math.min(8, 64 / channels));
  }

  private void start() {
    credits = new int[channels];
    Arrays.fill(credits, window);
    open = new Batch[channels];
    opened = new BitSet(channels);
  }

  final void append(int channel, Object record) {
    if (open == null) {
      start();
    }
    Batch batch = open[channel];
    if (batch == null) {
      batch = new Batch(Math.min(capacity, largest));
      open[channel] = batch;
      opened.set(channel);
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
    Batch batch = open[channel];
    open[channel] = null;
    opened.clear(channel);
    offer(channel, batch);
  }

  private void offer(int channel, Batch batch) {
    if ((waiting == null || waitingFirst[channel] == null) && takeCredit(channel)) {
      send(channel, batch);
      return;
    }
    if (waiting == null) {
      waitingFirst = new Batch[channels];
      waitingLast = new Batch[channels];
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

  private boolean takeCredit(int channel) {
    int consumer = first + channel;
    if (plan.targets()[consumer] == null
        && !task.deployed().link(plan.targetHosts()[consumer]).isOpen()) {
      return false;
    }
    if ((int) CREDITS.getVolatile(credits, channel) <= 0) {
      return false;
    }
    CREDITS.getAndAdd(credits, channel, -1);
    return true;
  }

  private void send(int channel, Batch batch) {
    int consumer = first + channel;
    task.meter().add(Meter.RECORDS_OUT, batch.size);
    Task target = plan.targets()[consumer];
    if (target != null) {
      batch.edge = plan;
      batch.producer = task.subtask();
      target.arrive(batch);
    } else {
      int bytes =
          task.deployed().link(plan.targetHosts()[consumer]).send(task, plan, consumer, batch);
      task.meter().add(Meter.BYTES_OUT, bytes);
    }
  }

  /** A consumer has finished a batch; called from its thread or from the wire. */
  final void credit(int consumer, int count) {
    int now = (int) CREDITS.getAndAdd(credits, consumer - first, count) + count;
    // Half a window at a time: waking a producer for every single batch costs more than the batch.
    // The last outstanding batch always completes the window, so a wake is never left out.
    if (now * 2 >= window) {
      task.roomMade();
    }
  }

  @Override
  void retry() {
    if (waiting == null) {
      return;
    }
    for (int channel = waiting.nextSetBit(0); channel >= 0; ) {
      while (waitingFirst[channel] != null && takeCredit(channel)) {
        Batch batch = waitingFirst[channel];
        waitingFirst[channel] = batch.next;
        batch.next = null;
        waitingRecords -= batch.size + 1;
        send(channel, batch);
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
    if (opened == null) {
      return;
    }
    for (int channel = opened.nextSetBit(0); channel >= 0; ) {
      if (open[channel].size * 4 < capacity) {
        capacity = Math.max(SMALLEST_BATCH, capacity / 2);
      }
      ship(channel);
      channel = opened.nextSetBit(channel + 1);
    }
  }

  @Override
  boolean isOverrun() {
    return waitingRecords > OVERFLOW_RECORDS / 2;
  }

  @Override
  void control(Control control) {
    if (open == null) {
      start();
    }
    for (int channel = 0; channel < channels; channel++) {
      Batch batch = open[channel] == null ? new Batch(0) : open[channel];
      batch.control = control;
      open[channel] = null;
      offer(channel, batch);
    }
    opened.clear();
  }
}
