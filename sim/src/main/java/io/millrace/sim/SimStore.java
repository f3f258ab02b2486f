package io.millrace.sim;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  private final MemoryHaStore durable = new MemoryHaStore();
  private final List<BiConsumer<String, Optional<Bytes>>> listeners = new ArrayList<>();

  /** Told of each change: a key and its new value, nothing where it was deleted. */
  public void listen(BiConsumer<String, Optional<Bytes>> listener) {
    listeners.add(listener);
  }

  public View of(SimProcess process) {
    return new View(process);
  }

  public boolean contains(String key) {
    return durable.read(key).isPresent();
  }

  public List<String> keys(String prefix) {
    return durable.list(prefix);
  }

  public Optional<Bytes> read(String key) {
    return durable.read(key).map(HaStore.Versioned::value);
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
    private Trouble trouble = Trouble.NONE;
    private boolean killAtChange;
    private boolean killBefore;

    private View(SimProcess process) {
      this.process = process;
    }

    public void trouble(Trouble now) {
      trouble = now;
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
      return durable.read(key);
    }

    @Override
    public long write(String key, Bytes value, long expectedVersion, long term) {
      check();
      if (trouble == Trouble.FULL) {
        throw failure("is full");
      }
      dieBefore();
      long version = durable.write(key, value, expectedVersion, term);
      changed(key, Optional.of(value));
      dieAfter();
      unclear();
      return version;
    }

    @Override
    public void delete(String key, long expectedVersion, long term) {
      check();
      dieBefore();
      durable.delete(key, expectedVersion, term);
      changed(key, Optional.empty());
      dieAfter();
      unclear();
    }

    @Override
    public List<String> list(String prefix) {
      check();
      return durable.list(prefix);
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
