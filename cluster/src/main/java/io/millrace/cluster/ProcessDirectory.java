package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory of a process. Only its owner can read it. It is deleted when the process ends. */
final class ProcessDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDirectory.class);

  private final Path path;
  private final Thread deletion;

  private ProcessDirectory(Path path) {
    this.path = path;
    this.deletion = new Thread(this::deleteAtExit, "delete-" + path.getFileName());
  }

  static ProcessDirectory create(Configuration configuration, String name) {
    Path parent = Path.of(configuration.get(CoreOptions.TMP_DIRS));
    try {
      Files.createDirectories(parent);
      return new ProcessDirectory(
          Files.createTempDirectory(
              parent,
              "millrace-" + name + "-",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
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
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> childrenFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : childrenFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + path, e);
    }
  }
}
