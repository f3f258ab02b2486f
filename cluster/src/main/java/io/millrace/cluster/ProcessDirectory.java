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

/** A directory of a process's own, readable by its owner only, gone when the process ends. */
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
          "Cannot make a directory under "
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

  /** For a process that may be interrupted, or end without telling whoever holds this. */
  void deleteOnExit() {
    try {
      Runtime.getRuntime().addShutdownHook(deletion);
    } catch (IllegalStateException exiting) {
      // It was made while the process already ended, and nobody would come back to it.
      deleteFiles();
      throw exiting;
    }
  }

  private void deleteAtExit() {
    try {
      deleteFiles();
    } catch (UncheckedIOException e) {
      LOG.warn("The process ends and leaves files behind", e);
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

  /** By one thread at a time: at the end of a process, several may want to. */
  private synchronized void deleteFiles() {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + path, e);
    }
  }
}
