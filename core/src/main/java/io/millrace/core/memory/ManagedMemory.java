package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * The managed memory of one slot. The tasks in the slot reserve from it what their state and their
 * sorting use; it counts and allocates nothing. May be called from any thread.
 */
public final class ManagedMemory {
  /** Of a slot that has none. */
  public static final ManagedMemory NONE = new ManagedMemory(0, 0);

  private final long bytes;
  private final int slots;
  private long reserved;

  private ManagedMemory(long bytes, int slots) {
    if (bytes < 0) {
      throw new IllegalArgumentException("Managed memory of " + bytes + " bytes");
    }
    this.bytes = bytes;
    this.slots = slots;
  }

  /** The part of one of a TaskManager's equal slots, of which there are so many. */
  public static ManagedMemory share(long bytes, int slots) {
    if (slots < 1) {
      throw new IllegalArgumentException("A TaskManager has at least one slot, not " + slots);
    }
    return new ManagedMemory(bytes, slots);
  }

  /** What a slot has whose job said how much it needs. */
  public static ManagedMemory declared(long bytes) {
    return new ManagedMemory(bytes, 0);
  }

  public long bytes() {
    return bytes;
  }

  public synchronized long free() {
    return bytes - reserved;
  }

  /** Lets a task reserve; what it has not released goes back when the lease is closed. */
  public Lease lease(String task) {
    return new Lease(task);
  }

  private synchronized void reserve(String task, long more) {
    if (more > bytes - reserved) {
      throw tooLittle(task, more);
    }
    reserved += more;
  }

  private synchronized void release(long less) {
    reserved -= less;
  }

  private MillraceException tooLittle(String task, long more) {
    long needed = reserved + more;
    String remedy =
        slots == 0
            ? "Declare at least " + kibi(needed) + " as managedMemory of its slot sharing group."
            : "Set "
                + MemoryOptions.MANAGED_MEMORY.key()
                + " to "
                + kibi(Math.multiplyExact(needed, slots))
                + " or more for the "
                + slots
                + " slots of a TaskManager (or raise "
                + MemoryOptions.MANAGED_FRACTION.key()
                + ").";
    return new MillraceException(
        ErrorKind.RESOURCE,
        "Task "
            + task
            + " needs "
            + new MemorySize(more)
            + " of managed memory, but of the "
            + new MemorySize(bytes)
            + " of its slot "
            + new MemorySize(bytes - reserved)
            + " are free. "
            + remedy);
  }

  private static String kibi(long bytes) {
    return new MemorySize(bytes).inWholeKibi().exact();
  }

  /** What one task has reserved. */
  public final class Lease implements AutoCloseable {
    private final String task;
    private long held;
    private boolean closed;

    private Lease(String task) {
      this.task = task;
    }

    public synchronized long held() {
      return held;
    }

    /** Reserves all of it or fails and reserves nothing. */
    public synchronized void reserve(long more) {
      if (closed || more < 0) {
        throw new IllegalStateException(
            "Task " + task + (closed ? " has ended" : " reserves " + more + " bytes"));
      }
      ManagedMemory.this.reserve(task, more);
      held += more;
    }

    public synchronized void release(long less) {
      if (less < 0 || less > held) {
        throw new IllegalStateException(
            "Task " + task + " releases " + less + " of " + held + " bytes");
      }
      held -= less;
      ManagedMemory.this.release(less);
    }

    /** The task has ended. */
    @Override
    public synchronized void close() {
      closed = true;
      release(held);
    }
  }
}
