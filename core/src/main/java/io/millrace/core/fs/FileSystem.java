package io.millrace.core.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/**
 * Storage of one or more schemes. One instance serves a whole process and is called by many threads
 * at once; it gets every path whose scheme is its own, whatever the authority.
 *
 * <p>Found by {@link java.util.ServiceLoader}, so it has a public constructor without arguments.
 * That one does no more than remember what it needs: connections are made when a path is used.
 */
public interface FileSystem {
  /** The schemes it serves, in lower case. */
  List<String> schemes();

  /**
   * Reads a file from this byte on. Readers ask for large pieces, so the stream needs no buffer of
   * its own.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws java.nio.file.AccessDeniedException if it may not be read
   */
  InputStream open(FilePath file, long offset) throws IOException;

  /**
   * Makes a file that was not there. Of several callers at the same time one succeeds. What was
   * written is complete when the stream is closed.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something has that name
   * @throws java.nio.file.NoSuchFileException if the directory is not there, which is not made
   */
  OutputStream create(FilePath file) throws IOException;

  /**
   * Gives a file another name in the same file system, in place of the file that has that name:
   * whoever looks sees the one or the other, whole. So it does with a directory and all that is in
   * it; a directory in which there is something is never replaced.
   *
   * @throws java.nio.file.NoSuchFileException if there is no {@code from}, or no directory for
   *     {@code to}
   */
  void replace(FilePath from, FilePath to) throws IOException;

  /**
   * Whether {@link #replace} is one step for everybody who looks and everybody who renames, so that
   * processes can settle by it which of them goes on. That of most object stores is not, and a
   * kernel looks a directory up before it renames in it.
   *
   * @param directory one that is there
   */
  default boolean replacesInOneStep(FilePath directory) throws IOException {
    return false;
  }

  /**
   * Deletes a file or an empty directory; false if there is none.
   *
   * @throws java.nio.file.DirectoryNotEmptyException if there is something in the directory
   */
  boolean delete(FilePath path) throws IOException;

  /** Deletes a file, or a directory with all that is in it; false if there is none. */
  default boolean deleteAll(FilePath path) throws IOException {
    Optional<FileStatus> there = status(path);
    if (there.isPresent() && there.get().isDirectory()) {
      for (FileStatus entry : list(path)) {
        deleteAll(entry.path());
      }
    }
    return delete(path);
  }

  /** What is directly in a directory, sorted by name. */
  List<FileStatus> list(FilePath directory) throws IOException;

  /** What is there, if anything. */
  Optional<FileStatus> status(FilePath path) throws IOException;

  /** Makes a directory and those above it, as far as they are missing. */
  void createDirectories(FilePath directory) throws IOException;

  /**
   * Makes a directory that is for its owner only, where the file system knows owners, and those
   * above it as {@link #createDirectories} does. One that is there is left as it is.
   */
  default void createPrivateDirectory(FilePath directory) throws IOException {
    createDirectories(directory);
  }
}
