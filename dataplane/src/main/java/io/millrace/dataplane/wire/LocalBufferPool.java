package io.millrace.dataplane.wire;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * The network buffers of one deployment. Those in use when it is closed go back to the pool as they
 * come back. May be called from any thread.
 */
public final class LocalBufferPool implements AutoCloseable {
  private final NetworkBufferPool pool;
  private final ArrayDeque<ByteBuffer> idle;
  private final int count;
  private final int window;
  private boolean closed;

  LocalBufferPool(NetworkBufferPool pool, List<ByteBuffer> buffers, int window) {
    this.pool = pool;
    this.idle = new ArrayDeque<>(buffers);
    this.count = buffers.size();
    this.window = window;
  }

  /** How many buffers a channel may have in flight at most. */
  public int window() {
    return window;
  }

  int segment() {
    return pool.memory().segment();
  }

  /**
   * An empty buffer, or nothing if the deployment has ended. Credits see to it that there is one.
   */
  synchronized Optional<ByteBuffer> take() {
    if (closed) {
      return Optional.empty();
    }
    ByteBuffer buffer = idle.poll();
    if (buffer == null) {
      throw new IllegalStateException(
          "All " + count + " network buffers are in use although there was a credit for another");
    }
    return Optional.of(buffer);
  }

  void give(ByteBuffer buffer) {
    synchronized (this) {
      if (!closed) {
        idle.push(buffer);
        return;
      }
    }
    pool.giveBack(buffer);
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(pool::giveBack);
    idle.clear();
  }
}
