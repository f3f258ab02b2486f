package io.millrace.core.fs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Files in memory, whose operations are atomic. Before each operation a test may do something else,
 * or let the operation fail.
 */
final class MemoryFiles implements FileSystem {
  /** The content by path; null for a directory. */
  private final SortedMap<String, byte[]> entries = new TreeMap<>();

  private Before before = operation -> {};

  /** Called before each operation; an exception is that of the operation. */
  interface Before {
    void call(String operation) throws IOException;
  }

  MemoryFiles() {
    entries.put("/", null);
  }

  /** Calls {@code next} before each operation from now on, not inside itself. */
  void before(Before next) {
    before = next;
  }

  private void operation(String name, FilePath path) throws IOException {
    Before current = before;
    before = nested -> {};
    try {
      current.call(name + " " + path.path());
    } finally {
      before = current;
    }
  }

  /** All files with their content, as text. */
  Map<String, String> contents() {
    Map<String, String> texts = new TreeMap<>();
    entries.forEach(
        (path, content) -> {
          if (content != null) {
            texts.put(path, new String(content, StandardCharsets.UTF_8));
          }
        });
    return texts;
  }

  @Override
  public List<String> schemes() {
    return List.of(FilePath.LOCAL);
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    operation("open", file);
    byte[] content = entries.get(file.path());
    if (content == null) {
      throw new NoSuchFileException(file.path());
    }
    return new ByteArrayInputStream(content, (int) offset, content.length);
  }

  @Override
  public OutputStream create(FilePath file) throws IOException {
    operation("create", file);
    requireParent(file);
    if (entries.containsKey(file.path())) {
      throw new FileAlreadyExistsException(file.path());
    }
    entries.put(file.path(), new byte[0]);
    return new ByteArrayOutputStream() {
      @Override
      public void close() throws IOException {
        operation("close", file);
        // The directory may have been moved; then its file is complete there, under another name.
        if (entries.containsKey(file.path())) {
          entries.put(file.path(), toByteArray());
        }
      }
    };
  }

  private void requireParent(FilePath path) throws NoSuchFileException {
    String parent = path.parent().path();
    if (!entries.containsKey(parent) || entries.get(parent) != null) {
      throw new NoSuchFileException(parent);
    }
  }

  private SortedMap<String, byte[]> below(String directory) {
    return entries.subMap(directory + "/", directory + "0");
  }

  @Override
  public void replace(FilePath from, FilePath to) throws IOException {
    operation("replace", from);
    if (!entries.containsKey(from.path())) {
      throw new NoSuchFileException(from.path());
    }
    requireParent(to);
    if (!below(to.path()).isEmpty()) {
      throw new DirectoryNotEmptyException(to.path());
    }
    entries.put(to.path(), entries.remove(from.path()));
    for (String path : new ArrayList<>(below(from.path()).keySet())) {
      entries.put(to.path() + path.substring(from.path().length()), entries.remove(path));
    }
  }

  @Override
  public boolean replacesInOneStep(FilePath directory) {
    return true;
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    operation("delete", path);
    if (!below(path.path()).isEmpty()) {
      throw new DirectoryNotEmptyException(path.path());
    }
    boolean there = entries.containsKey(path.path());
    entries.remove(path.path());
    return there;
  }

  @Override
  public List<FileStatus> list(FilePath directory) throws IOException {
    operation("list", directory);
    if (!entries.containsKey(directory.path())) {
      throw new NoSuchFileException(directory.path());
    }
    if (entries.get(directory.path()) != null) {
      throw new NotDirectoryException(directory.path());
    }
    int prefix = directory.path().length() + 1;
    return below(directory.path()).keySet().stream()
        .filter(path -> path.indexOf('/', prefix) < 0)
        .map(path -> status(FilePath.parse(path), entries.get(path)))
        .toList();
  }

  @Override
  public Optional<FileStatus> status(FilePath path) throws IOException {
    operation("status", path);
    return entries.containsKey(path.path())
        ? Optional.of(status(path, entries.get(path.path())))
        : Optional.empty();
  }

  private static FileStatus status(FilePath path, byte[] content) {
    return new FileStatus(path, content == null, content == null ? 0 : content.length);
  }

  @Override
  public void createDirectories(FilePath directory) throws IOException {
    operation("createDirectories", directory);
    String path = "";
    for (String name : Arrays.asList(directory.path().substring(1).split("/"))) {
      path += "/" + name;
      if (entries.get(path) != null) {
        throw new FileAlreadyExistsException(path);
      }
      entries.put(path, null);
    }
  }
}
