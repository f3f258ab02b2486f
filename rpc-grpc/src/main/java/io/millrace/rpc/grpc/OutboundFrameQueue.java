package io.millrace.rpc.grpc;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frames on their way into one stream, in order. Any thread offers; whichever comes first drains,
 * so that the stream, which is not safe for use from several threads, sees one at a time. Frames
 * wait here while the stream is not ready.
 */
final class OutboundFrameQueue {
  /** What one peer may be behind before it counts as lost. */
  static final long MOST_BYTES = 64L << 20;

  private static final int FRAME_OVERHEAD = 64;

  /** The stream. */
  interface Stream {
    boolean ready();

    void write(byte[] frame);

    void end(String reason);
  }

  /** What became of an offered frame. */
  enum Outcome {
    TAKEN,
    /** The stream has ended: the frame was not and will not be sent. */
    ENDED,
    /** Too much waits already. */
    FULL
  }

  private final Stream stream;
  private final Queue<byte[]> frames = new ArrayDeque<>();
  private final AtomicInteger wishes = new AtomicInteger();
  private long bytes;
  private String ended = "";
  private boolean told;

  OutboundFrameQueue(Stream stream) {
    this.stream = stream;
  }

  Outcome offer(byte[] frame) {
    synchronized (frames) {
      if (!ended.isEmpty()) {
        return Outcome.ENDED;
      }
      if (bytes + frame.length + FRAME_OVERHEAD > MOST_BYTES) {
        return Outcome.FULL;
      }
      bytes += frame.length + FRAME_OVERHEAD;
      frames.add(frame);
    }
    drain();
    return Outcome.TAKEN;
  }

  /** Takes no more frames, drops those that wait and ends the stream. */
  void end(String reason) {
    synchronized (frames) {
      if (ended.isEmpty()) {
        ended = reason;
        frames.clear();
      }
    }
    drain();
  }

  /** To be called when the stream has become ready. */
  void drain() {
    if (wishes.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      write();
      seen = wishes.addAndGet(-seen);
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
      if (ended.isEmpty() || told) {
        return;
      }
      told = true;
      reason = ended;
    }
    stream.end(reason);
  }
}
