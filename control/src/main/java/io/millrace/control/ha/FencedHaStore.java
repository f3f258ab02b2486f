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
 * A store on storage that many machines see, one file a key, for a JobManager that is started again
 * on another of them. The files are those of a {@link FileHaStore}.
 *
 * <p>There is no lock that would end with a process on a machine that cannot be reached. Instead
 * the one that opened the store last has it, and what the others still write is a {@link
 * StaleWriteException}: see {@link FencedDirectory}. So versions and terms are compared and the
 * value is replaced in one step for all processes, while those of one process take turns.
 */
public final class FencedHaStore implements HaStore {
  private final FencedDirectory owned;
  private final FilePath directory;

  /** Holds the keys that are being used, each by one thread; control has no other locks. */
  private final ConcurrentHashMap<String, Boolean> using = new ConcurrentHashMap<>();

  /**
   * @param name of the directory in the one that this process has taken; made where it is missing
   */
  public FencedHaStore(FencedDirectory owned, String name) {
    this.owned = owned;
    this.directory = owned.child(name);
    try {
      owned.createDirectory(directory);
    } catch (IOException e) {
      throw trouble("The directory " + directory + " for recovery cannot be made", e);
    }
  }

  /** A value in a store that another process has open, as it is now. */
  static Optional<Bytes> read(FileSystem system, FilePath directory, String key)
      throws IOException {
    return load(system, directory, key).map(StoredValue::value);
  }

  @Override
  public Optional<Versioned> read(String key) {
    return use(key, before -> before).map(found -> new Versioned(found.value(), found.version()));
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    StoredValue next = new StoredValue(key, value, expectedVersion + 1, term);
    use(
        key,
        before -> {
          StoredValue.check(key, before, expectedVersion, term);
          owned.write(file(key), new ByteArrayInputStream(next.encode().array()));
          return before;
        });
    return next.version();
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    use(
        key,
        before -> {
          if (before.isPresent()) {
            StoredValue.check(key, before, expectedVersion, term);
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
            // A name that was too long for a file is told by the file alone.
            key = content(owned.system(), entry.path()).map(StoredValue::key);
          }
          if (key.isPresent() && !KeyFileName.name(key.get()).equals(name)) {
            throw StoredValue.damaged(entry.path(), "its name is none that Millrace gives");
          }
          key.filter(found -> found.startsWith(prefix)).ifPresent(keys::add);
        }
      }
    } catch (IOException e) {
      throw trouble("The directory " + directory + " for recovery cannot be read", e);
    }
    Collections.sort(keys);
    return keys;
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private interface Use {
    Optional<StoredValue> make(Optional<StoredValue> before) throws IOException;
  }

  /** Reading takes its turn, too: on HDFS, a file that is replaced cannot be read to its end. */
  private Optional<StoredValue> use(String key, Use use) {
    List<Optional<StoredValue>> found = new ArrayList<>();
    using.compute(
        key,
        (same, none) -> {
          try {
            found.add(use.make(load(owned.system(), directory, key)));
          } catch (FencedOffException e) {
            throw new StaleWriteException("'" + key + "' was not changed: " + e.getMessage());
          } catch (IOException e) {
            throw trouble("The value of '" + key + "' in " + file(key) + " cannot be used", e);
          }
          return null;
        });
    return found.get(0);
  }

  private static Optional<StoredValue> load(FileSystem system, FilePath directory, String key)
      throws IOException {
    FilePath file = directory.child(KeyFileName.name(key));
    Optional<StoredValue> found = content(system, file);
    if (found.isPresent() && !found.get().key().equals(key)) {
      throw StoredValue.damaged(file, "it holds the value of '" + found.get().key() + "'");
    }
    return found;
  }

  private static Optional<StoredValue> content(FileSystem system, FilePath file)
      throws IOException {
    return FencedDirectory.read(system, file)
        .map(content -> StoredValue.decode(file, content.unsafeArray()));
  }

  private FilePath file(String key) {
    return directory.child(KeyFileName.name(key));
  }

  private static MillraceException trouble(String what, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what + ": " + cause + ". Mend the file system or the rights of this process there.",
        cause);
  }
}
