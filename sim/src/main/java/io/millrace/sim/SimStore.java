package io.millrace.sim;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * What outlives the processes of a cluster. Each process uses it through a view of its own, which
 * may be in trouble, and which may be where the process is killed: before a write or right after
 * it. A write that was answered is durable; one that was not may have happened or not.
 */
public final class SimStore {
  /** What is wrong with a view. */
  public enum Trouble {
    NONE,
    /** No room for anything new; reading and deleting work. */
    FULL,
    /** Nothing works. */
    REFUSING,
    /** Changes happen and are reported as failed. */
    UNCLEAR
  }

  private final MemoryHaStore shared = new MemoryHaStore();
  private final List<BiConsumer<String, Optional<Bytes>>> listeners = new ArrayList<>();

  /** What is stored, wherever that is. */
  private final TreeMap<String, Bytes> values = new TreeMap<>();

  /** Told of each change: a key and its new value, nothing where it was deleted. */
  public void listen(BiConsumer<String, Optional<Bytes>> listener) {
    listeners.add(listener);
  }

  /** A view of the store in memory that all processes share. */
  public View of(SimProcess process) {
    return new View(process, shared, Optional.empty());
  }

  /** A view of a store that keeps files on a disk, which is where its troubles are. */
  public View of(SimProcess process, HaStore stored, FaultyDisk disk) {
    View view = new View(process, stored, Optional.of(disk));
    view.lookAtAll();
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

  private void changed(String key, Optional<Bytes> value) {
    listeners.forEach(listener -> listener.accept(key, value));
  }

  static MillraceException failure(String what) {
    return new MillraceException(ErrorKind.EXTERNAL, "The storage " + what + ". Try again later.");
  }

  /** The store as one process has it. */
  public final class View implements HaStore {
    private final SimProcess process;
    private final HaStore stored;
    private final Optional<FaultyDisk> disk;
    private Trouble trouble = Trouble.NONE;
    private boolean killAtChange;
    private boolean killBefore;

    private View(SimProcess process, HaStore stored, Optional<FaultyDisk> disk) {
      this.process = process;
      this.stored = stored;
      this.disk = disk;
    }

    public void trouble(Trouble now) {
      disk.ifPresentOrElse(under -> under.trouble(now), () -> trouble = now);
    }

    /** Finds out what a loss of power has left. */
    public void lookAtAll() {
      List<String> keys;
      try {
        keys = disk.orElseThrow().quietly(() -> stored.list(""));
      } catch (MillraceException lostWithItsDirectory) {
        keys = List.of();
      }
      List<String> all = new ArrayList<>(values.keySet());
      all.removeAll(keys);
      all.addAll(keys);
      all.forEach(this::lookAt);
    }

    /**
     * Finds out what is stored now, whatever was answered. What a process was killed over is seen
     * when it comes back: until then the power may be lost.
     */
    private void look(String key) {
      if (process.isAlive()) {
        lookAt(key);
      }
    }

    private void lookAt(String key) {
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
        changed(key, now);
      }
    }

    /** The next change is the last thing the process does, or just does not do any more. */
    public void killAtChange(boolean before) {
      killAtChange = true;
      killBefore = before;
    }

    /** It lives on. */
    public void spare() {
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
      if (trouble == Trouble.FULL) {
        throw failure("is full");
      }
      dieBefore();
      long version;
      try {
        version = stored.write(key, value, expectedVersion, term);
      } finally {
        look(key);
      }
      dieAfter();
      unclear();
      return version;
    }

    @Override
    public void delete(String key, long expectedVersion, long term) {
      check();
      dieBefore();
      try {
        stored.delete(key, expectedVersion, term);
      } finally {
        look(key);
      }
      dieAfter();
      unclear();
    }

    @Override
    public List<String> list(String prefix) {
      check();
      return stored.list(prefix);
    }

    private void check() {
      if (trouble == Trouble.REFUSING) {
        throw failure("cannot be reached");
      }
    }

    private void unclear() {
      if (trouble == Trouble.UNCLEAR) {
        throw failure("did not answer");
      }
    }

    private void dieBefore() {
      if (killAtChange && killBefore) {
        process.kill();
        throw new SimProcess.Killed();
      }
    }

    private void dieAfter() {
      if (killAtChange) {
        process.kill();
        throw new SimProcess.Killed();
      }
    }
  }
}
