package io.millrace.connector.files;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/** The files that paths and patterns stand for, each once. */
final class FileListing {
  private static final String ANY_DIRECTORIES = "**";

  private final List<String> paths;
  private final FileSystems systems;

  /** Whether a path may be missing. */
  private final boolean waits;

  FileListing(List<String> paths, FileSystems systems, boolean waits) {
    this.paths = paths;
    this.systems = systems;
    this.waits = waits;
  }

  /** Sorted by path within each of the paths. */
  List<FileStatus> files() throws IOException {
    Map<String, FileStatus> found = new LinkedHashMap<>();
    for (String text : paths) {
      FilePath path = FilePath.parse(text);
      FileSystem system = systems.of(path);
      int before = found.size();
      Optional<FileStatus> there = system.status(path);
      if (there.isPresent()) {
        add(system, there.get(), found);
        continue;
      }
      if (isPattern(path.path())) {
        FilePath root = new FilePath(path.scheme(), path.authority(), "/");
        match(system, root, List.of(path.path().substring(1).split("/")), found);
      }
      if (found.size() == before && !waits) {
        throw new MillraceException(
            ErrorKind.USER,
            isPattern(path.path())
                ? "No file matches '"
                    + path
                    + "' on the machine that runs the source. Check the pattern; every TaskManager"
                    + " must see the files."
                : "Input '"
                    + path
                    + "' does not exist on the machine that runs the source. Check the path; every"
                    + " TaskManager must see it.");
      }
    }
    return List.copyOf(found.values());
  }

  private static boolean isPattern(String path) {
    return path.chars().anyMatch(each -> "*?[{".indexOf(each) >= 0);
  }

  /**
   * Matches the names of a pattern one after the other, so that only directories on it are read.
   */
  private static void match(
      FileSystem system, FilePath directory, List<String> names, Map<String, FileStatus> found)
      throws IOException {
    String first = names.get(0);
    List<String> rest = names.subList(1, names.size());
    if (!isPattern(first)) {
      descend(system, system.status(directory.child(first)), rest, found);
      return;
    }
    if (first.equals(ANY_DIRECTORIES)) {
      if (rest.isEmpty()) {
        descend(system, system.status(directory), rest, found);
        return;
      }
      match(system, directory, rest, found);
      for (FileStatus child : children(system, directory)) {
        if (child.isDirectory() && isData(child)) {
          match(system, child.path(), names, found);
        }
      }
      return;
    }
    PathMatcher matcher = matcher(first);
    for (FileStatus child : children(system, directory)) {
      if (isData(child) && matcher.matches(Path.of(child.path().name()))) {
        descend(system, Optional.of(child), rest, found);
      }
    }
  }

  private static void descend(
      FileSystem system, Optional<FileStatus> at, List<String> rest, Map<String, FileStatus> found)
      throws IOException {
    if (at.isEmpty()) {
      return;
    }
    if (rest.isEmpty()) {
      add(system, at.get(), found);
    } else if (at.get().isDirectory()) {
      match(system, at.get().path(), rest, found);
    }
  }

  private static PathMatcher matcher(String pattern) {
    try {
      return java.nio.file.FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    } catch (PatternSyntaxException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + pattern
              + "' in the path of a file source is no pattern: "
              + e.getDescription()
              + ".",
          e);
    }
  }

  private static void add(FileSystem system, FileStatus status, Map<String, FileStatus> found)
      throws IOException {
    if (!status.isDirectory()) {
      found.putIfAbsent(status.path().toString(), status);
      return;
    }
    for (FileStatus child : children(system, status.path())) {
      if (isData(child)) {
        add(system, child, found);
      }
    }
  }

  private static List<FileStatus> children(FileSystem system, FilePath directory)
      throws IOException {
    try {
      return system.list(directory);
    } catch (NoSuchFileException e) {
      // Deleted since its parent was listed, as a directory of a sink may be.
      return List.of();
    }
  }

  private static boolean isData(FileStatus status) {
    String name = status.path().name();
    return !name.startsWith(".") && !name.startsWith("_");
  }
}
