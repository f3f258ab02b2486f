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
   */
  OutputStream create(FilePath file) throws IOException;

  /**
   * Gives a file another name in the same file system, in place of the file that has that name:
   * whoever looks sees the one or the other, whole.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file {@code from}
   */
  void replace(FilePath from, FilePath to) throws IOException;

  /** Deletes a file or an empty directory; false if there is none. */
  boolean delete(FilePath path) throws IOException;

  /** What is directly in a directory, sorted by name. */
  List<FileStatus> list(FilePath directory) throws IOException;

  /** What is there, if anything. */
  Optional<FileStatus> status(FilePath path) throws IOException;

  /** Makes a directory and those above it, as far as they are missing. */
  void createDirectories(FilePath directory) throws IOException;
}
