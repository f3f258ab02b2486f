package io.millrace.dataplane;

import java.util.BitSet;
import java.util.Optional;
import org.jctools.queues.MpscLinkedQueue;

/**
 * Where batches for a task arrive, from the threads of all its producers. The task's step is the
 * only reader until it closes the inbox.
 */
final class InputQueue {
  private final MpscLinkedQueue<RecordBatch> batches = new MpscLinkedQueue<>();
  private volatile boolean closed;

  /** Channels from other hosts whose end has arrived, worked on or not; guarded by itself. */
  private final BitSet remotelyEnded = new BitSet(0);

  /** Takes a batch in; one that comes after the task's end is dropped. */
  void put(RecordBatch batch) {
    if (batch.frame != null && batch.control == ControlElement.EndOfInput.INSTANCE) {
      synchronized (remotelyEnded) {
        remotelyEnded.set(batch.channel);
      }
    }
    if (closed) {
      InputGate.release(batch);
      return;
    }
    batches.offer(batch);
    if (closed) {
      drop();
    }
  }

  Optional<RecordBatch> next(InputGate inputs) {
    return inputs.next(batches::relaxedPoll);
  }

  /** Whether everything from this channel of another host has arrived. */
  boolean hasEnded(int channel) {
    synchronized (remotelyEnded) {
      return remotelyEnded.get(channel);
    }
  }

  void close() {
    closed = true;
    drop();
  }

  private void drop() {
    // The queue takes one reader: the step until it has closed, then who holds this lock.
    synchronized (remotelyEnded) {
      RecordBatch batch;
      while ((batch = batches.relaxedPoll()) != null) {
        InputGate.release(batch);
      }
    }
  }
}
