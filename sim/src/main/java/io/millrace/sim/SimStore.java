package io.millrace.sim;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The recovery data, which outlives the processes of a cluster. Each process uses it through a
 * view, into which faults can be injected: failing operations, and the death of the process before
 * or after a write. A write that was acknowledged is durable; one that was not may have happened.
 */
public final class SimStore {
  /** The fault of a view. */
  public enum FailureMode {
    NONE,
    /** Writes fail; reading and deleting work. */
    FULL,
    /** All operations fail. */
    UNAVAILABLE,
    /** Changes are made and reported as failed. */
    OUTCOME_UNKNOWN
  }

  private final MemoryHaStore shared = new MemoryHaStore();
  private final List<BiConsumer<String, Optional<Bytes>>> listeners = new ArrayList<>();

  /** The stored values, as last read from memory or disk. */
  private final TreeMap<String, Bytes> values = new TreeMap<>();

  /** What was stored before each of the last changes, which a disk has reported as failed. */
  private final Map<String, List<Optional<Bytes>>> beforeFailed = new TreeMap<>();

  /** Registers a listener of changes: a key and its new value, which is empty if it was deleted. */
  public void listen(BiConsumer<String, Optional<Bytes>> listener) {
    listeners.add(listener);
  }

  /** A view of the store in memory, which all processes share. */
  public View of(SimProcess process) {
    return new View(process, shared);
  }

  /** A view of a store with files on a disk; faults are injected into the disk. */
  public View of(SimProcess process, HaStore stored, FaultyDisk disk) {
    View view = new View(process, stored, disk);
    view.rescan();
    return view;
  }

  public boolean contains(String key) {
    return values.containsKey(key);
  }

  public List<String> keys(String prefix) {
    return values.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
  }

  public Optional<Bytes> read(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /**
   * Whether a loss of power has undone changes that were visible, but reported as failed: they had
   * not been forced to the disk, and nobody was told that they would last. The first of several
   * changes may be on the disk.
   */
  public boolean isUndone(String key) {
    return beforeFailed.getOrDefault(key, List.of()).contains(read(key));
  }

  static MillraceException failure(String what) {
    return new MillraceException(ErrorKind.EXTERNAL, "The storage " + what + ". Try again later.");
  }

  /** The store as seen by one process. */
  public final class View implements HaStore {
    private final SimProcess process;
    private final HaStore stored;
    private final Optional<FaultyDisk> disk;
    private FailureMode failureMode = FailureMode.NONE;
    private boolean killAtChange;
    private boolean killBefore;

    private View(SimProcess process, HaStore stored) {
      this.process = process;
      this.stored = stored;
      this.disk = Optional.empty();
    }

    private View(SimProcess process, HaStore stored, FaultyDisk disk) {
      this.process = process;
      this.stored = stored;
      this.disk = Optional.of(disk);
    }

    public void failureMode(FailureMode now) {
      disk.ifPresentOrElse(under -> under.failureMode(now), () -> failureMode = now);
    }

    /** Reads all keys, for example after a power loss. */
    public void rescan() {
      List<String> keys;
      try {
        keys = disk.orElseThrow().quietly(() -> stored.list(""));
      } catch (MillraceException lostWithItsDirectory) {
        keys = List.of();
      }
      List<String> all = new ArrayList<>(values.keySet());
      all.removeAll(keys);
      all.addAll(keys);
      all.forEach(this::readStored);
      beforeFailed.clear();
    }

    private void changed(String key, Optional<Bytes> before, boolean acknowledged) {
      if (acknowledged) {
        beforeFailed.remove(key);
      } else if (disk.isPresent()) {
        beforeFailed.computeIfAbsent(key, x -> new ArrayList<>()).add(before);
      }
      readChange(key);
    }

    /**
     * Reads the stored value of a key, which may differ from what was acknowledged. A change during
     * which the process was killed is read after its restart, because power may be lost before.
     */
    private void readChange(String key) {
      if (process.isAlive()) {
        readStored(key);
      }
    }

    private void readStored(String key) {
      Optional<Bytes> now;
      try {
        now =
            disk.map(under -> under.quietly(() -> stored.read(key)))
                .orElseGet(() -> stored.read(key))
                .map(Versioned::value);
      } catch (MillraceException damaged) {
        now = Optional.empty();
      }
      Optional<Bytes> before = SimStore.this.read(key);
      now.ifPresentOrElse(value -> values.put(key, value), () -> values.remove(key));
      if (!before.equals(now)) {
        Optional<Bytes> changed = now;
        listeners.forEach(listener -> listener.accept(key, changed));
      }
    }

    /** Kills the process before or after its next change. */
    public void killAtChange(boolean before) {
      killAtChange = true;
      killBefore = before;
    }

    /** Cancels {@link #killAtChange}. */
    public void cancelKill() {
      killAtChange = false;
    }

    @Override
    public Optional<Versioned> read(String key) {
      check();
      return stored.read(key);
    }

    @Override
    public long write(String key, Bytes value, long expectedVersion, long term) {
      check();
      if (failureMode == FailureMode.FULL) {
        throw failure("is full");
      }
      killBefore();
      Optional<Bytes> before = SimStore.this.read(key);
      boolean acknowledged = false;
      long version;
      try {
        version = stored.write(key, value, expectedVersion, term);
        acknowledged = true;
      } finally {
        changed(key, before, acknowledged);
      }
      killAfter();
      failIfUnclear();
      return version;
    }

    @Override
    public void delete(String key, long expectedVersion, long term) {
      check();
      killBefore();
      Optional<Bytes> before = SimStore.this.read(key);
      boolean acknowledged = false;
      try {
        stored.delete(key, expectedVersion, term);
        acknowledged = true;
      } finally {
        changed(key, before, acknowledged);
      }
      killAfter();
      failIfUnclear();
    }

    @Override
    public List<String> list(String prefix) {
      check();
      return stored.list(prefix);
    }

    private void check() {
      if (failureMode == FailureMode.UNAVAILABLE) {
        throw failure("cannot be reached");
      }
    }

    private void failIfUnclear() {
      if (failureMode == FailureMode.OUTCOME_UNKNOWN) {
        throw failure("did not answer");
      }
    }

    private void killBefore() {
      if (killAtChange && killBefore) {
        process.kill();
        throw new SimProcess.Killed();
      }
    }

    private void killAfter() {
      if (killAtChange) {
        process.kill();
        throw new SimProcess.Killed();
      }
    }
  }
}
