package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a process. Only its owner can read it. It is deleted when the process ends. What
 * a killed process has left is deleted by the next one that creates a directory beside it: a living
 * process holds a lock on a file in its directory.
 */
final class ProcessDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDirectory.class);

  private static final String LOCK = "lock";
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final String PREFIX = "millrace-";

  /**
   * The directories of this JVM. Their locks must not be tried: to close the file would release
   * them.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final Optional<FileChannel> lock;
  private final Thread deletion;

  private ProcessDirectory(Path path, Optional<FileChannel> lock) {
    this.path = path;
    this.lock = lock;
    this.deletion = new Thread(this::deleteAtExit, "delete-" + path.getFileName());
  }

  static ProcessDirectory create(Configuration configuration, String name) {
    Path parent = Path.of(configuration.get(CoreOptions.TMP_DIRS));
    try {
      Files.createDirectories(parent);
      // Gets its name when it is locked.
      Path unlocked =
          Files.createTempDirectory(
              parent,
              "." + PREFIX + name + "-",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path path = parent.resolve(unlocked.getFileName().toString().substring(1)).toAbsolutePath();
      OWN.add(path);
      Optional<FileChannel> lock = lock(unlocked.resolve(LOCK));
      Files.move(unlocked, path, StandardCopyOption.ATOMIC_MOVE);
      deleteLeftOvers(path);
      return new ProcessDirectory(path, lock);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Cannot create a directory under "
              + parent
              + " ("
              + CoreOptions.TMP_DIRS.key()
              + "): "
              + e.getMessage(),
          e);
    }
  }

  private static Optional<FileChannel> lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      channel.lock();
      channel.write(ByteBuffer.wrap(host().getBytes(StandardCharsets.UTF_8)));
      return Optional.of(channel);
    } catch (IOException e) {
      LOG.debug("{} cannot be locked: nobody deletes it if this process is killed", file, e);
      channel.close();
      Files.delete(file);
      return Optional.empty();
    }
  }

  /** Locks may not be seen by other machines that share the file system. */
  private static String host() throws IOException {
    return Files.readString(HOST_NAME).strip();
  }

  /** Deletes the directories of dead processes of this user beside a directory. */
  private static void deleteLeftOvers(Path own) {
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(own.getParent(), PREFIX + "*")) {
      for (Path sibling : siblings) {
        deleteIfLeftOver(sibling, Files.getOwner(own));
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.debug("{} cannot be searched for files of dead processes", own.getParent(), e);
    }
  }

  private static void deleteIfLeftOver(Path directory, UserPrincipal user) {
    Path file = directory.resolve(LOCK);
    try {
      if (OWN.contains(directory)
          || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          || !Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(user)
          || !Files.readString(file).equals(host())) {
        return;
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        if (channel.tryLock() != null) {
          LOG.info("Deleting {}, which a process that was killed has left", directory);
          delete(directory);
        }
      }
    } catch (IOException | OverlappingFileLockException e) {
      LOG.debug("{} stays", directory, e);
    }
  }

  Path path() {
    return path;
  }

  /** Deletes the directory also if the process is interrupted or calls {@code System.exit}. */
  void deleteOnExit() {
    try {
      Runtime.getRuntime().addShutdownHook(deletion);
    } catch (IllegalStateException exiting) {
      // The process is already ending, so no later call would delete the directory.
      deleteFiles();
      throw exiting;
    }
  }

  private void deleteAtExit() {
    try {
      deleteFiles();
    } catch (UncheckedIOException e) {
      LOG.warn("The process could not delete its files", e);
    }
  }

  void delete() {
    deleteFiles();
    try {
      Runtime.getRuntime().removeShutdownHook(deletion);
    } catch (IllegalStateException exiting) {
      LOG.debug("The process is ending, which deletes {} once more", path);
    }
  }

  /** Synchronised, because several threads may delete at the end of a process. */
  private synchronized void deleteFiles() {
    try {
      delete(path);
      if (lock.isPresent()) {
        lock.get().close();
      }
      OWN.remove(path);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + path, e);
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> childrenFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : childrenFirst) {
        Files.deleteIfExists(file);
      }
    }
  }
}
