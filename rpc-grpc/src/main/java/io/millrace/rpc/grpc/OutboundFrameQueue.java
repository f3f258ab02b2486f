package io.millrace.rpc.grpc;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The frames that wait to be written to one stream, in order. Any thread may offer. One thread at a
 * time drains, because the stream is not thread-safe. Frames wait while the stream is not ready.
 */
final class OutboundFrameQueue {
  /** Maximum size of queued frames. A peer that exceeds it counts as lost. */
  static final long MAX_BYTES = 64L << 20;

  private static final int FRAME_OVERHEAD = 64;

  interface Stream {
    boolean ready();

    void write(byte[] frame);

    void end(String reason);
  }

  /** The result of {@link #offer}. */
  enum Outcome {
    ACCEPTED,
    /** The stream has ended. The frame is not sent. */
    ENDED,
    /** The queue is full. The frame is not sent. */
    FULL
  }

  private final Stream stream;
  private final Queue<byte[]> frames = new ArrayDeque<>();
  private final AtomicInteger drainRequests = new AtomicInteger();
  private long bytes;
  private String ended = "";
  private boolean streamEnded;

  OutboundFrameQueue(Stream stream) {
    this.stream = stream;
  }

  Outcome offer(byte[] frame) {
    synchronized (frames) {
      if (!ended.isEmpty()) {
        return Outcome.ENDED;
      }
      if (bytes + frame.length + FRAME_OVERHEAD > MAX_BYTES) {
        return Outcome.FULL;
      }
      bytes += frame.length + FRAME_OVERHEAD;
      frames.add(frame);
    }
    drain();
    return Outcome.ACCEPTED;
  }

  /** Accepts no more frames, drops queued ones and ends the stream. */
  void end(String reason) {
    synchronized (frames) {
      if (ended.isEmpty()) {
        ended = reason;
        frames.clear();
      }
    }
    drain();
  }

  /** Writes queued frames while the stream is ready. Called when the stream becomes ready. */
  void drain() {
    if (drainRequests.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      write();
      seen = drainRequests.addAndGet(-seen);
    } while (seen != 0);
  }

  private void write() {
    while (stream.ready()) {
      byte[] frame;
      synchronized (frames) {
        frame = frames.poll();
        if (frame == null) {
          break;
        }
        bytes -= frame.length + FRAME_OVERHEAD;
      }
      stream.write(frame);
    }
    String reason;
    synchronized (frames) {
      if (ended.isEmpty() || streamEnded) {
        return;
      }
      streamEnded = true;
      reason = ended;
    }
    stream.end(reason);
  }
}
