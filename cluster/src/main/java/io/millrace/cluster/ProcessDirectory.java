package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
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

/** A directory of a process's own, readable by its owner only, gone when the process ends. */
final class ProcessDirectory {
  private final Path path;

  private ProcessDirectory(Path path) {
    this.path = path;
  }

  static ProcessDirectory create(Configuration configuration, String name) {
    Path parent = Path.of(configuration.get(Options.TMP_DIRS));
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
              + Options.TMP_DIRS.key()
              + "): "
              + e.getMessage(),
          e);
    }
  }

  Path path() {
    return path;
  }

  void delete() {
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
