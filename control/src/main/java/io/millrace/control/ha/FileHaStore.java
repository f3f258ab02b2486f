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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A store in a directory, one file a key, for a JobManager that is started again on the same disk.
 *
 * <p>A value is written under another name, forced to the disk and then given its own, so that a
 * crash leaves the old value or the new one. Each file carries its key and a hash of all it holds:
 * one that was damaged is an error that names it, never a key without a value. The directory
 * belongs to one process at a time, which holds a lock that ends with it.
 */
public final class FileHaStore implements HaStore, AutoCloseable {
  private static final String LOCK = "lock";
  private static final String DRAFT = ".new";

  private final Path directory;
  private final FileChannel lock;

  /** Holds the keys that are being changed, each by one thread; control has no other locks. */
  private final ConcurrentHashMap<String, Boolean> changing = new ConcurrentHashMap<>();

  private FileHaStore(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Takes the directory, which is made for its owner only where it is not there yet, and removes
   * what a process that crashed while writing has left.
   */
  public static FileHaStore open(Path directory) {
    try {
      DurableDirectory.create(directory);
      DurableDirectory.forcePath(directory);
      FileChannel lock = lock(directory);
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(name -> name.toString().endsWith(DRAFT)).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        lock.close();
        throw e;
      }
      return new FileHaStore(directory, lock);
    } catch (IOException e) {
      throw trouble("The directory " + directory + " for recovery cannot be used", e);
    }
  }

  @Override
  public Optional<Versioned> read(String key) {
    return load(key).map(found -> new Versioned(found.value(), found.version()));
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    StoredValue next = new StoredValue(key, value, expectedVersion + 1, term);
    change(
        key,
        before -> {
          StoredValue.check(key, before, expectedVersion, term);
          save(next);
        });
    return next.version();
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    change(
        key,
        before -> {
          if (before.isPresent()) {
            StoredValue.check(key, before, expectedVersion, term);
            remove(key);
          }
        });
  }

  @Override
  public List<String> list(String prefix) {
    List<String> keys = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (KeyFileName.isValue(name)) {
          // A name that was too long for a file is told by the file alone.
          String key = KeyFileName.key(name).orElseGet(() -> loadNamed(file));
          if (!KeyFileName.name(key).equals(name)) {
            throw StoredValue.damaged(file, "its name is none that Millrace gives");
          }
          if (key.startsWith(prefix)) {
            keys.add(key);
          }
        }
      }
    } catch (IOException e) {
      throw trouble("The directory " + directory + " for recovery cannot be read", e);
    }
    Collections.sort(keys);
    return keys;
  }

  /** Gives the directory to whoever wants it next. What is stored stays. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw trouble("The lock of " + directory + " cannot be given up", e);
    }
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private void change(String key, Consumer<Optional<StoredValue>> step) {
    changing.compute(
        key,
        (same, none) -> {
          step.accept(load(key));
          return null;
        });
  }

  private Optional<StoredValue> load(String key) {
    Path file = file(key);
    try {
      StoredValue found = StoredValue.decode(file, Files.readAllBytes(file));
      if (!found.key().equals(key)) {
        throw StoredValue.damaged(file, "it holds the value of '" + found.key() + "'");
      }
      return Optional.of(found);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw trouble("The stored value in " + file + " cannot be read", e);
    }
  }

  private static String loadNamed(Path file) {
    try {
      return StoredValue.decode(file, Files.readAllBytes(file)).key();
    } catch (IOException e) {
      throw trouble("The stored value in " + file + " cannot be read", e);
    }
  }

  private void save(StoredValue value) {
    Path file = file(value.key());
    Path draft = file.resolveSibling(file.getFileName() + DRAFT);
    try {
      try (FileChannel out =
          FileChannel.open(
              draft,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer content = value.encode();
        while (content.hasRemaining()) {
          out.write(content);
        }
        out.force(true);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      DurableDirectory.force(directory);
    } catch (IOException e) {
      throw trouble("The value of '" + value.key() + "' cannot be written to " + file, e);
    }
  }

  private void remove(String key) {
    try {
      Files.deleteIfExists(file(key));
      DurableDirectory.force(directory);
    } catch (IOException e) {
      throw trouble("The stored value in " + file(key) + " cannot be deleted", e);
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
        throw taken(directory, channel);
      }
      channel.truncate(0);
      String pid = String.valueOf(ProcessHandle.current().pid());
      channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
      return channel;
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw taken(directory, "this process, pid " + ProcessHandle.current().pid());
    } catch (IOException | MillraceException e) {
      channel.close();
      throw e;
    }
  }

  private static MillraceException taken(Path directory, FileChannel lock) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    lock.read(pid, 0);
    return taken(
        directory,
        "the process with pid "
            + new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII));
  }

  private static MillraceException taken(Path directory, String owner) {
    return new MillraceException(
        ErrorKind.USER,
        "The directory "
            + directory
            + " is in use by "
            + owner
            + ". One JobManager at a time recovers from it: stop that one first, or give this one"
            + " a high-availability.cluster-id of its own.");
  }

  private static MillraceException trouble(String what, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what + ": " + cause + ". Nothing was deleted. Mend the disk or its permissions.",
        cause);
  }
}
