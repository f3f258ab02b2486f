package io.millrace.core.fs;

import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/**
 * Storage of one or more schemes. One instance serves a process and is called by many threads. It
 * gets every path with one of its schemes, whatever the authority.
 *
 * <p>Found by {@link java.util.ServiceLoader}, so it has a public constructor without arguments.
 * The constructor must be cheap: connections are made when a path is used.
 */
public interface FileSystem {
  /** The schemes, in lower case. */
  List<String> schemes();

  /**
   * Takes the options of the process. Called before the first path is used, and again if another
   * user in the same process has other options.
   */
  default void configure(Configuration configuration) {}

  /**
   * Reads a file from an offset. Readers read large blocks, so the stream needs no buffer.
   *
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws java.nio.file.AccessDeniedException if the file cannot be read
   */
  InputStream open(FilePath file, long offset) throws IOException;

  /**
   * Creates a new file. If several callers try at the same time, one succeeds. The content is
   * complete when the stream is closed.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the name exists
   * @throws java.nio.file.NoSuchFileException if the parent directory does not exist; it is not
   *     created
   */
  OutputStream create(FilePath file) throws IOException;

  /**
   * Renames a file in the same file system and atomically replaces a file that has the new name.
   * Also renames a directory with its content. A directory that is not empty is never replaced.
   *
   * @throws java.nio.file.NoSuchFileException if {@code from} or the parent directory of {@code to}
   *     does not exist
   */
  void replace(FilePath from, FilePath to) throws IOException;

  /**
   * Whether {@link #replace} is atomic for concurrent readers and for concurrent renames, so that
   * processes can use it for mutual exclusion. That of most object stores is not. That of a local
   * kernel is not either: it looks a directory up before it renames in it.
   *
   * @param directory an existing directory
   */
  default boolean replacesInOneStep(FilePath directory) throws IOException {
    return false;
  }

  /**
   * Deletes a file or an empty directory; false if it does not exist.
   *
   * @throws java.nio.file.DirectoryNotEmptyException if the directory is not empty
   */
  boolean delete(FilePath path) throws IOException;

  /** Deletes a file, or a directory recursively; false if it does not exist. */
  default boolean deleteAll(FilePath path) throws IOException {
    Optional<FileStatus> there = status(path);
    if (there.isPresent() && there.get().isDirectory()) {
      for (FileStatus entry : list(path)) {
        deleteAll(entry.path());
      }
    }
    return delete(path);
  }

  /**
   * The entries of a directory, sorted by name.
   *
   * @throws java.nio.file.NoSuchFileException if the directory does not exist
   * @throws java.nio.file.NotDirectoryException if the path is a file
   */
  List<FileStatus> list(FilePath directory) throws IOException;

  /** The status of a path; empty if it does not exist. */
  Optional<FileStatus> status(FilePath path) throws IOException;

  /** Creates a directory and its missing parents. */
  void createDirectories(FilePath directory) throws IOException;

  /**
   * Creates a directory for its owner only, if the file system has owners, and its missing parents
   * like {@link #createDirectories}. An existing directory is not changed.
   */
  default void createPrivateDirectory(FilePath directory) throws IOException {
    createDirectories(directory);
  }
}
