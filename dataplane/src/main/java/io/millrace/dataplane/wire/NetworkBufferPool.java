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
 * The buffers of a host's network memory. A deployment reserves what it needs before its first task
 * runs and has it until it ends, so that nothing that runs ever finds the pool empty: what waits,
 * waits for a credit. A buffer is made when it is reserved for the first time and then stays.
 *
 * <p>May be called from any thread.
 */
public final class NetworkBufferPool {
  /** How many buffers a channel may have in flight, at best and at least. */
  static final int LARGEST_WINDOW = 8;

  private static final int SMALLEST_WINDOW = 1;

  private final NetworkMemory memory;
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();
  private int made;

  public NetworkBufferPool(NetworkMemory memory) {
    this.memory = memory;
  }

  public NetworkMemory memory() {
    return memory;
  }

  /** How many buffers nobody has reserved. */
  public synchronized int free() {
    return idle.size() + memory.buffers() - made;
  }

  /**
   * Reserves buffers for channels whose window may have any size: the largest of which half of what
   * is free is left to others, else the smallest. Nothing if there are too few even for that.
   *
   * @param needed how many buffers it takes if no window exceeds the given size
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
        reserved.add(idle.isEmpty() ? make() : idle.pop());
      }
    } catch (MillraceException e) {
      idle.addAll(reserved);
      throw e;
    }
    return Optional.of(new LocalBufferPool(this, reserved, window));
  }

  private ByteBuffer make() {
    try {
      ByteBuffer buffer = ByteBuffer.allocateDirect(memory.segment());
      made++;
      return buffer;
    } catch (OutOfMemoryError e) {
      throw new MillraceException(
          ErrorKind.RESOURCE,
          "Of "
              + memory.buffers()
              + " network buffers of "
              + memory.segment()
              + " bytes only "
              + made
              + " can be made, because something else in this process uses direct memory meant for"
              + " them ("
              + e.getMessage()
              + "). Raise "
              + MemoryOptions.TASK_OFF_HEAP.key()
              + " if user code does, "
              + MemoryOptions.FRAMEWORK_OFF_HEAP.key()
              + " otherwise.",
          e);
    }
  }

  synchronized void giveBack(ByteBuffer buffer) {
    idle.push(buffer);
  }
}
