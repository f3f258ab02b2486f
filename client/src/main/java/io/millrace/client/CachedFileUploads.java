package io.millrace.client;

import io.millrace.api.program.CachedFile;
import io.millrace.api.program.Program;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.graph.JobFile;
import io.millrace.graph.JobGraph;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The local cached files of a job as files that are uploaded with its jars, under the names that
 * the graph has for them. A directory becomes a zip archive. Closing it deletes what it made.
 */
final class CachedFileUploads implements AutoCloseable {
  private final List<Path> files = new ArrayList<>();
  private Optional<Path> directory = Optional.empty();

  CachedFileUploads(Program program, JobGraph graph) {
    try {
      for (int i = 0; i < program.files().size(); i++) {
        JobFile file = graph.files().get(i);
        if (file.travels()) {
          files.add(prepare(program.files().get(i), file));
        }
      }
    } catch (IOException e) {
      close();
      throw new MillraceException(
          ErrorKind.USER, "The cached files of the program cannot be read: " + e, e);
    }
  }

  /** The files to upload. */
  List<Path> files() {
    return files;
  }

  private Path prepare(CachedFile file, JobFile upload) throws IOException {
    if (directory.isEmpty()) {
      directory = Optional.of(Files.createTempDirectory("millrace-cached-files-"));
    }
    Path target = directory.get().resolve(upload.location());
    Path source = Path.of(FilePath.parse(file.path()).path());
    if (Files.isDirectory(source)) {
      zip(source, target);
    } else {
      link(source, target);
    }
    return target;
  }

  /** A file may be large, so that it is copied only where links are impossible. */
  private static void link(Path source, Path target) throws IOException {
    try {
      Files.createSymbolicLink(target, source);
    } catch (UnsupportedOperationException | IOException e) {
      Files.copy(source, target);
    }
  }

  /** The order and the times of entries are fixed, so that equal directories are equal blobs. */
  private static void zip(Path source, Path target) throws IOException {
    List<Path> paths;
    try (Stream<Path> walked = Files.walk(source)) {
      paths = walked.sorted().toList();
    }
    try (OutputStream out = Files.newOutputStream(target);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Path path : paths) {
        String name = source.relativize(path).toString().replace('\\', '/');
        boolean isDirectory = Files.isDirectory(path);
        if (name.isEmpty() && paths.size() > 1) {
          continue;
        }
        // An empty directory has one entry for itself.
        ZipEntry entry = new ZipEntry(isDirectory ? name + "/" : name);
        entry.setTime(0);
        zip.putNextEntry(entry);
        if (!isDirectory) {
          Files.copy(path, zip);
        }
        zip.closeEntry();
      }
    }
  }

  @Override
  public void close() {
    try {
      if (directory.isPresent()) {
        List<Path> made;
        try (Stream<Path> walked = Files.walk(directory.get())) {
          made = walked.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : made) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "Cannot delete the directory " + directory.get() + ": " + e, e);
    }
  }
}
