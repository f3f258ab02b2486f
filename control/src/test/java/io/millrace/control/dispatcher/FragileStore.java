package io.millrace.control.dispatcher;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Fails as often as it is told to. */
final class FragileStore implements HaStore {
  private final HaStore inner = new MemoryHaStore();
  int failures;
  int failingDeletions;
  boolean withoutDescriptors;
  Predicate<String> unreadable = key -> false;

  @Override
  public Optional<Versioned> read(String key) {
    breakIfTold();
    if (unreadable.test(key)) {
      throw away();
    }
    return inner.read(key);
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    breakIfTold();
    return inner.write(key, value, expectedVersion, term);
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    if (failingDeletions > 0) {
      failingDeletions--;
      throw away();
    }
    inner.delete(key, expectedVersion, term);
  }

  @Override
  public List<String> list(String prefix) {
    breakIfTold();
    return inner.list(prefix);
  }

  private void breakIfTold() {
    if (failures > 0) {
      failures--;
      throw away();
    }
  }

  private MillraceException away() {
    return withoutDescriptors
        ? new MillraceException(
            ErrorKind.EXTERNAL,
            "A value cannot be written.",
            new FileSystemException("value", null, "Too many open files"))
        : new MillraceException(ErrorKind.EXTERNAL, "The store is away.");
  }
}
