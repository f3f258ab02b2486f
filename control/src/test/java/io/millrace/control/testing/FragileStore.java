package io.millrace.control.testing;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Fails a given number of operations. */
public final class FragileStore implements HaStore {
  private final HaStore inner = new MemoryHaStore();
  public int failures;
  public int failingDeletions;
  public boolean failWrites;

  /** The next write happens and fails nevertheless. */
  public boolean failAfterWrite;

  public Runnable afterFailedWrite = () -> {};

  public boolean withoutDescriptors;
  public Predicate<String> unreadable = key -> false;

  @Override
  public Optional<Versioned> read(String key) {
    failIfConfigured();
    if (unreadable.test(key)) {
      throw unavailable();
    }
    return inner.read(key);
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    failIfConfigured();
    if (failWrites) {
      throw unavailable();
    }
    long version = inner.write(key, value, expectedVersion, term);
    if (failAfterWrite) {
      failAfterWrite = false;
      afterFailedWrite.run();
      throw unavailable();
    }
    return version;
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    if (failingDeletions > 0) {
      failingDeletions--;
      throw unavailable();
    }
    inner.delete(key, expectedVersion, term);
  }

  @Override
  public List<String> list(String prefix) {
    failIfConfigured();
    return inner.list(prefix);
  }

  private void failIfConfigured() {
    if (failures > 0) {
      failures--;
      throw unavailable();
    }
  }

  private MillraceException unavailable() {
    return withoutDescriptors
        ? new MillraceException(
            ErrorKind.EXTERNAL,
            "A value cannot be written.",
            new FileSystemException("value", null, "Too many open files"))
        : new MillraceException(ErrorKind.EXTERNAL, "The store is not available.");
  }
}
