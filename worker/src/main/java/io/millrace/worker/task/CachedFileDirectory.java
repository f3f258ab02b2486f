package io.millrace.worker.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Copies of cached files, those of an owner in a directory of its own. */
final class CachedFileDirectory implements CachedFileStore {
  private final Path directory;
  private final FileSystems fileSystems;
  private final AtomicLong owners = new AtomicLong();

  CachedFileDirectory(Path directory, FileSystems fileSystems) {
    this.directory = directory;
    this.fileSystems = fileSystems;
  }

  @Override
  public String newOwner(JobId job) {
    return job + "-" + owners.incrementAndGet();
  }

  @Override
  public Map<String, Path> fetch(
      String owner, List<JobFile> files, Function<JobFile, Path> travelled) throws IOException {
    Map<String, Path> copies = new LinkedHashMap<>();
    for (JobFile file : files) {
      Path own = directory.resolve(owner).resolve(Integer.toString(copies.size()));
      Files.createDirectories(own);
      try {
        Path copy = fetch(file, own, travelled);
        if (file.isExecutable()) {
          makeExecutable(copy);
        }
        copies.put(file.name(), copy);
      } catch (IOException e) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "The cached file '"
                + file.name()
                + "' cannot be fetched from "
                + file.location()
                + ": "
                + e,
            e);
      }
    }
    return copies;
  }

  private Path fetch(JobFile file, Path own, Function<JobFile, Path> travelled) throws IOException {
    if (file.travels()) {
      return copy(file, Files.newInputStream(travelled.apply(file)), own, file.location());
    }
    FilePath path = FilePath.parse(file.location());
    FileSystem source = fileSystems.of(path);
    boolean isDirectory =
        source
            .status(path)
            .orElseThrow(() -> new NoSuchFileException(path.toString()))
            .isDirectory();
    if (!isDirectory) {
      return copy(file, source.open(path, 0), own, path.name());
    }
    Path target = own.resolve(path.name());
    copyTree(source, path, target);
    return target;
  }

  /** Copies or unpacks a file, and closes it. */
  private static Path copy(JobFile file, InputStream content, Path own, String name)
      throws IOException {
    Path target = own.resolve(name).normalize();
    try (content) {
      if (!own.equals(target.getParent())) {
        throw new IOException("its name '" + name + "' is not the name of a file");
      }
      if (file.isArchive()) {
        unpack(content, target);
      } else {
        Files.copy(content, target);
      }
    }
    return target;
  }

  private static void copyTree(FileSystem source, FilePath from, Path to) throws IOException {
    Files.createDirectories(to);
    for (FileStatus entry : source.list(from)) {
      Path target = to.resolve(entry.path().name());
      if (entry.isDirectory()) {
        copyTree(source, entry.path(), target);
      } else {
        try (InputStream content = source.open(entry.path(), 0)) {
          Files.copy(content, target);
        }
      }
    }
  }

  private static void unpack(InputStream archive, Path target) throws IOException {
    Files.createDirectories(target);
    ZipInputStream zip = new ZipInputStream(archive);
    boolean isEmpty = true;
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      isEmpty = false;
      Path file = target.resolve(entry.getName()).normalize();
      if (!file.startsWith(target)) {
        throw new IOException("its entry " + entry.getName() + " is outside of the archive");
      }
      if (entry.isDirectory()) {
        Files.createDirectories(file);
      } else {
        Files.createDirectories(file.getParent());
        Files.copy(zip, file);
      }
    }
    if (isEmpty) {
      throw new IOException("it is not a zip archive with files");
    }
  }

  private static void makeExecutable(Path copy) throws IOException {
    for (Path file : tree(copy)) {
      if (Files.isRegularFile(file) && !file.toFile().setExecutable(true)) {
        throw new IOException(file + " cannot be made executable");
      }
    }
  }

  @Override
  public void delete(String owner) throws IOException {
    Path own = directory.resolve(owner);
    if (Files.exists(own)) {
      List<Path> paths = tree(own);
      paths.sort(Comparator.reverseOrder());
      for (Path path : paths) {
        Files.deleteIfExists(path);
      }
    }
  }

  private static List<Path> tree(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return new ArrayList<>(paths.toList());
    }
  }
}
