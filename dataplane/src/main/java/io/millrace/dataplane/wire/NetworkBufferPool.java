package io.millrace.dataplane.wire;

import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * The buffers of a process's network memory. A deployment reserves its buffers before its first
 * task runs and keeps them until it ends, so that no running task finds the pool empty; tasks wait
 * for credits only. A buffer is allocated at its first reservation and never freed.
 *
 * <p>Any thread may call it.
 */
public final class NetworkBufferPool {
  /** The largest and smallest number of buffers in flight on a channel. */
  static final int LARGEST_WINDOW = 8;

  private static final int SMALLEST_WINDOW = 1;

  private final NetworkMemory memory;
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();
  private int allocated;

  public NetworkBufferPool(NetworkMemory memory) {
    this.memory = memory;
  }

  public NetworkMemory memory() {
    return memory;
  }

  /** The number of buffers that are not reserved. */
  public synchronized int free() {
    return idle.size() + memory.buffers() - allocated;
  }

  /**
   * Reserves buffers for channels. Their window is the largest that leaves half of the free buffers
   * to other deployments, else the smallest. Empty if there are too few buffers even for that.
   *
   * @param needed the number of buffers for a given maximum of the window
   */
  public synchronized Optional<LocalBufferPool> reserve(IntUnaryOperator needed) {
    int free = free();
    int window = LARGEST_WINDOW;
    while (window > SMALLEST_WINDOW && needed.applyAsInt(window) > free / 2) {
      window /= 2;
    }
    int count = needed.applyAsInt(window);
    if (count > free) {
      return Optional.empty();
    }
    List<ByteBuffer> reserved = new ArrayList<>(count);
    try {
      while (reserved.size() < count) {
        reserved.add(idle.isEmpty() ? allocate() : idle.pop());
      }
    } catch (MillraceException e) {
      idle.addAll(reserved);
      throw e;
    }
    return Optional.of(new LocalBufferPool(this, reserved, window));
  }

  private ByteBuffer allocate() {
    try {
      ByteBuffer buffer = ByteBuffer.allocateDirect(memory.segment());
      allocated++;
      return buffer;
    } catch (OutOfMemoryError e) {
      throw new MillraceException(
          ErrorKind.RESOURCE,
          "Of "
              + memory.buffers()
              + " network buffers of "
              + memory.segment()
              + " bytes only "
              + allocated
              + " can be allocated, because other code in this process uses their direct memory ("
              + e.getMessage()
              + "). Raise "
              + MemoryOptions.TASK_OFF_HEAP.key()
              + " if user code allocates direct memory, "
              + MemoryOptions.FRAMEWORK_OFF_HEAP.key()
              + " otherwise.",
          e);
    }
  }

  synchronized void recycle(ByteBuffer buffer) {
    idle.push(buffer);
  }
}
