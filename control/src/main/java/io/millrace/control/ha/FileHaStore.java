package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.DurableDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A store in a local directory with one file per key, for a JobManager that restarts on the same
 * disk.
 *
 * <p>A value is written under a temporary name, forced to the disk and renamed, so that a crash
 * leaves the old value or the new one. Each file contains its key and a hash over its content: a
 * damaged file is an error that names it, never a missing key. One process at a time owns the
 * directory; it holds a file lock, which ends with the process.
 */
public final class FileHaStore implements HaStore, AutoCloseable {
  private static final String LOCK = "lock";
  private static final String TEMPORARY = ".new";

  private final Path directory;
  private final FileChannel lock;

  /** The keys that are being changed, each by one thread. Control uses no other locks. */
  private final ConcurrentHashMap<String, Boolean> locked = new ConcurrentHashMap<>();

  /**
   * The values whose deletion is not known to be on the disk: a loss of power may bring them back.
   * They count as stored, so that a failed deletion can be repeated.
   */
  private final ConcurrentHashMap<String, HaStoreEntry> deleting = new ConcurrentHashMap<>();

  private FileHaStore(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Opens the directory, creates it if it is missing (readable only by its owner), and deletes
   * temporary files of a process that crashed during a write.
   */
  public static FileHaStore open(Path directory) {
    try {
      DurableDirectory.create(directory);
      DurableDirectory.forcePath(directory);
      FileChannel lock = lock(directory);
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(name -> name.toString().endsWith(TEMPORARY)).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        lock.close();
        throw e;
      }
      return new FileHaStore(directory, lock);
    } catch (IOException e) {
      throw storageError("The directory " + directory + " for recovery data cannot be used", e);
    }
  }

  @Override
  public Optional<Versioned> read(String key) {
    return load(key).map(found -> new Versioned(found.value(), found.version()));
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    HaStoreEntry next = new HaStoreEntry(key, value, expectedVersion + 1, term);
    withKey(
        key,
        () -> {
          HaStoreEntry.checkWrite(load(key), key, expectedVersion, term);
          save(next);
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
            remove(before.get());
          }
        });
  }

  @Override
  public List<String> list(String prefix) {
    Set<String> keys = new TreeSet<>();
    deleting.keySet().stream().filter(key -> key.startsWith(prefix)).forEach(keys::add);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (KeyFileName.isValue(name)) {
          // The name of a long key is only in the file.
          String key = KeyFileName.key(name).orElseGet(() -> loadKey(file));
          HaStoreEntry.checkName(file, name, key);
          if (key.startsWith(prefix)) {
            keys.add(key);
          }
        }
      }
    } catch (IOException e) {
      throw storageError("The directory " + directory + " for recovery data cannot be read", e);
    }
    return List.copyOf(keys);
  }

  /** Releases the directory. Stored values stay. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw storageError("The lock of " + directory + " cannot be released", e);
    }
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private void withKey(String key, Runnable operation) {
    locked.compute(
        key,
        (same, none) -> {
          operation.run();
          return null;
        });
  }

  private Optional<HaStoreEntry> load(String key) {
    Path file = file(key);
    try {
      return Optional.of(HaStoreEntry.decode(file, Files.readAllBytes(file)).checkKey(file, key));
    } catch (NoSuchFileException e) {
      return Optional.ofNullable(deleting.get(key));
    } catch (IOException e) {
      throw storageError("The stored value in " + file + " cannot be read", e);
    }
  }

  private static String loadKey(Path file) {
    try {
      return HaStoreEntry.decode(file, Files.readAllBytes(file)).key();
    } catch (IOException e) {
      throw storageError("The stored value in " + file + " cannot be read", e);
    }
  }

  private void save(HaStoreEntry value) {
    Path file = file(value.key());
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    try {
      try (FileChannel out =
          FileChannel.open(
              temporary,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer content = value.encode();
        while (content.hasRemaining()) {
          out.write(content);
        }
        out.force(true);
      }
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      DurableDirectory.force(directory);
      deleting.remove(value.key());
    } catch (IOException e) {
      throw storageError("The value of '" + value.key() + "' cannot be written to " + file, e);
    }
  }

  private void remove(HaStoreEntry value) {
    Path file = file(value.key());
    deleting.put(value.key(), value);
    try {
      Files.deleteIfExists(file);
      DurableDirectory.force(directory);
      deleting.remove(value.key());
    } catch (IOException e) {
      throw storageError("The stored value in " + file + " cannot be deleted", e);
    }
  }

  private Path file(String key) {
    return directory.resolve(KeyFileName.name(key));
  }

  private static FileChannel lock(Path directory) throws IOException {
    Path file = directory.resolve(LOCK);
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw inUse(directory, channel);
      }
      channel.truncate(0);
      String pid = String.valueOf(ProcessHandle.current().pid());
      channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
      return channel;
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw inUse(directory, "this process, pid " + ProcessHandle.current().pid());
    } catch (IOException | MillraceException e) {
      channel.close();
      throw e;
    }
  }

  private static MillraceException inUse(Path directory, FileChannel lock) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    lock.read(pid, 0);
    return inUse(
        directory,
        "the process with pid "
            + new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII));
  }

  private static MillraceException inUse(Path directory, String owner) {
    return new MillraceException(
        ErrorKind.USER,
        "The directory "
            + directory
            + " is in use by "
            + owner
            + ". One JobManager at a time uses it: stop the other one first, or give this one"
            + " another high-availability.cluster-id.");
  }

  private static MillraceException storageError(String what, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what + ": " + cause + ". Nothing was deleted. Repair the disk or its permissions.",
        cause);
  }
}
