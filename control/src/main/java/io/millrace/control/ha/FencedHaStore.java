package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FencedOffException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store on shared storage with one file per key, for a JobManager that may restart on another
 * machine. The file format is that of {@link FileHaStore}.
 *
 * <p>A lock cannot be released for a process on an unreachable machine. Instead, the process that
 * opened the store last owns it, and writes of earlier owners fail with a {@link
 * StaleWriteException}; see {@link FencedDirectory}. Comparing version and term and replacing the
 * value is therefore atomic across processes; threads of one process exclude each other per key.
 */
public final class FencedHaStore implements HaStore {
  private final FencedDirectory owned;
  private final FilePath directory;

  /** The keys in use, each by one thread. Control uses no other locks. */
  private final ConcurrentHashMap<String, Boolean> locked = new ConcurrentHashMap<>();

  /**
   * @param name of the subdirectory of the owned directory; created if it is missing
   */
  public FencedHaStore(FencedDirectory owned, String name) {
    this.owned = owned;
    this.directory = owned.child(name);
    try {
      owned.createDirectory(directory);
    } catch (IOException e) {
      throw storageError("The directory " + directory + " for recovery data cannot be created", e);
    }
  }

  /** The current value of a key in a store that another process owns. */
  static Optional<Bytes> read(FileSystem system, FilePath directory, String key)
      throws IOException {
    return load(system, directory, key).map(HaStoreEntry::value);
  }

  @Override
  public Optional<Versioned> read(String key) {
    return withKey(key, () -> load(key))
        .map(found -> new Versioned(found.value(), found.version()));
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    HaStoreEntry next = new HaStoreEntry(key, value, expectedVersion + 1, term);
    withKey(
        key,
        () -> {
          Optional<HaStoreEntry> before = load(key);
          HaStoreEntry.checkWrite(before, key, expectedVersion, term);
          owned.write(file(key), new ByteArrayInputStream(next.encode().array()));
          return before;
        });
    return next.version();
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    withKey(
        key,
        () -> {
          Optional<HaStoreEntry> before = load(key);
          if (before.isPresent()) {
            before.get().check(expectedVersion, term);
            owned.remove(file(key));
          }
          return before;
        });
  }

  @Override
  public List<String> list(String prefix) {
    List<String> keys = new ArrayList<>();
    try {
      for (FileStatus entry : owned.system().list(directory)) {
        String name = entry.path().name();
        if (KeyFileName.isValue(name)) {
          Optional<String> key = KeyFileName.key(name);
          if (key.isEmpty()) {
            // The name of a long key is only in the file.
            key = content(owned.system(), entry.path()).map(HaStoreEntry::key);
          }
          key.ifPresent(found -> HaStoreEntry.checkName(entry.path(), name, found));
          key.filter(found -> found.startsWith(prefix)).ifPresent(keys::add);
        }
      }
    } catch (IOException e) {
      throw storageError("The directory " + directory + " for recovery data cannot be read", e);
    }
    Collections.sort(keys);
    return keys;
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private interface KeyOperation {
    Optional<HaStoreEntry> run() throws IOException;
  }

  /** Reads exclude writes, too: on HDFS a file that is replaced cannot be read to its end. */
  private Optional<HaStoreEntry> withKey(String key, KeyOperation operation) {
    List<Optional<HaStoreEntry>> found = new ArrayList<>();
    locked.compute(
        key,
        (same, none) -> {
          try {
            found.add(operation.run());
          } catch (FencedOffException e) {
            throw new StaleWriteException("'" + key + "' was not changed: " + e.getMessage());
          } catch (IOException e) {
            throw storageError("The value of '" + key + "' in " + file(key) + " cannot be used", e);
          }
          return null;
        });
    return found.get(0);
  }

  private Optional<HaStoreEntry> load(String key) throws IOException {
    return load(owned.system(), directory, key);
  }

  private static Optional<HaStoreEntry> load(FileSystem system, FilePath directory, String key)
      throws IOException {
    FilePath file = directory.child(KeyFileName.name(key));
    return content(system, file).map(found -> found.checkKey(file, key));
  }

  private static Optional<HaStoreEntry> content(FileSystem system, FilePath file)
      throws IOException {
    return FencedDirectory.read(system, file)
        .map(content -> HaStoreEntry.decode(file, content.unsafeArray()));
  }

  private FilePath file(String key) {
    return directory.child(KeyFileName.name(key));
  }

  private static MillraceException storageError(String what, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what + ": " + cause + ". Repair the file system or the permissions of this process there.",
        cause);
  }
}
