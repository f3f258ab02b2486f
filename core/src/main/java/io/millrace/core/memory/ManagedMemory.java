package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The managed memory of one slot. Tasks in the slot reserve memory for state and sorting. It only
 * counts and allocates nothing. Thread-safe.
 */
public final class ManagedMemory {
  /** For a slot without managed memory. */
  public static final ManagedMemory NONE = new ManagedMemory(0, 0);

  private final long bytes;
  private final int slots;
  private long reserved;

  private ManagedMemory(long bytes, int slots) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must be >= 0, but is " + bytes);
    }
    this.bytes = bytes;
    this.slots = slots;
  }

  /** The share of one of the given number of equal slots of a TaskManager. */
  public static ManagedMemory share(long bytes, int slots) {
    if (slots < 1) {
      throw new IllegalArgumentException("slots must be >= 1, but is " + slots);
    }
    return new ManagedMemory(bytes, slots);
  }

  /** The memory of a slot with a declared resource profile. */
  public static ManagedMemory declared(long bytes) {
    return new ManagedMemory(bytes, 0);
  }

  public long bytes() {
    return bytes;
  }

  public synchronized long free() {
    return bytes - reserved;
  }

  /** Reservations of a task. Closing the lease releases them. */
  public Lease lease(String task) {
    return new Lease(task);
  }

  /** Something that the tasks of a slot share, with all managed memory that was free. */
  private record Shared(AutoCloseable resource, long bytes, int[] users) {}

  private final Map<String, Shared> shared = new HashMap<>();

  /**
   * Something that several tasks of the slot use together. The first one reserves all managed
   * memory that is free, the last one returns it.
   *
   * @param least the fewest bytes that are of use
   * @param create gets the number of bytes
   */
  public synchronized <R extends AutoCloseable> Use<R> share(
      String task, Class<R> type, long least, LongFunction<R> create) {
    Shared there = shared.get(type.getName());
    if (there == null) {
      long all = bytes - reserved;
      if (all < least) {
        throw exceeded(task, least);
      }
      there = new Shared(create.apply(all), all, new int[1]);
      reserved += all;
      shared.put(type.getName(), there);
    }
    there.users[0]++;
    return new Use<>(type.getName(), type.cast(there.resource), there);
  }

  private synchronized Optional<AutoCloseable> unused(String name, Shared of) {
    if (--of.users[0] > 0) {
      return Optional.empty();
    }
    shared.remove(name);
    reserved -= of.bytes;
    return Optional.of(of.resource);
  }

  /** A task's use of something shared. */
  public final class Use<R> implements AutoCloseable {
    private final String name;
    private final R resource;
    private final Shared of;
    private boolean closed;

    private Use(String name, R resource, Shared of) {
      this.name = name;
      this.resource = resource;
      this.of = of;
    }

    public R resource() {
      return resource;
    }

    /** The last user closes the resource. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        Optional<AutoCloseable> last = unused(name, of);
        if (last.isPresent()) {
          try {
            last.get().close();
          } catch (Exception e) {
            throw new IllegalStateException("Shared managed memory cannot be freed", e);
          }
        }
      }
    }
  }

  private synchronized void reserve(String task, long more) {
    if (more > bytes - reserved) {
      throw exceeded(task, more);
    }
    reserved += more;
  }

  private synchronized void release(long less) {
    reserved -= less;
  }

  private MillraceException exceeded(String task, long more) {
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

  /** The reservations of one task. */
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

    /** Reserves all of it, or throws and reserves nothing. */
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
