package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.ControlElement;
import java.util.BitSet;
import java.util.Optional;
import org.jctools.queues.MpscLinkedQueue;

/**
 * The queue of batches for a task. The threads of all its producers add to it; the task's step is
 * the only reader until it closes the queue.
 */
public final class InputQueue {
  private final MpscLinkedQueue<RecordBatch> batches = new MpscLinkedQueue<>();
  private volatile boolean closed;

  /** Channels from other hosts whose end of input has been received; guarded by itself. */
  private final BitSet remotelyEnded = new BitSet(0);

  /** Adds a batch; drops it if the task has ended. */
  void put(RecordBatch batch) {
    if (batch.frame != null && batch.control == ControlElement.EndOfInput.INSTANCE) {
      synchronized (remotelyEnded) {
        remotelyEnded.set(batch.channel);
      }
    }
    if (closed) {
      batch.release();
      return;
    }
    batches.offer(batch);
    if (closed) {
      drop();
    }
  }

  Optional<RecordBatch> next(InputChannels channels) {
    return channels.next(batches::relaxedPoll);
  }

  /** Starts a capture, which has to see all batches of the queue. */
  void capture(
      InputChannels channels,
      InFlightCapture capture,
      FrameReassembler reassembler,
      Runnable processing) {
    channels.capture(capture, reassembler, processing, batches::relaxedPoll);
  }

  /** Moves all batches to the channels, which look for barriers among them. */
  void drainTo(InputChannels channels) {
    channels.drain(batches::relaxedPoll);
  }

  /** Whether the end of input of a channel from another host has been received. */
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
    // The queue allows one reader: the step until it has closed, then the holder of this lock.
    synchronized (remotelyEnded) {
      RecordBatch batch;
      while ((batch = batches.relaxedPoll()) != null) {
        batch.release();
      }
    }
  }
}
