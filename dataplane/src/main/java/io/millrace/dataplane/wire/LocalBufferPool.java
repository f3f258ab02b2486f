package io.millrace.dataplane.wire;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * The network buffers of one deployment. Buffers in use at {@link #close} go back to the global
 * pool when they are recycled. Any thread may call it.
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

  /** The maximum number of buffers in flight on a channel. */
  public int window() {
    return window;
  }

  int segment() {
    return pool.memory().segment();
  }

  /** An empty buffer; nothing if the deployment has ended. There is one for every credit. */
  synchronized Optional<ByteBuffer> request() {
    if (closed) {
      return Optional.empty();
    }
    ByteBuffer buffer = idle.poll();
    if (buffer == null) {
      throw new IllegalStateException(
          "All "
              + count
              + " network buffers are in use although there is a credit for another one");
    }
    return Optional.of(buffer);
  }

  void recycle(ByteBuffer buffer) {
    synchronized (this) {
      if (!closed) {
        idle.push(buffer);
        return;
      }
    }
    pool.recycle(buffer);
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(pool::recycle);
    idle.clear();
  }
}
