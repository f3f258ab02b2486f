package io.millrace.core.fs;

import java.io.IOException;
import java.io.InputStream;

/**
 * A directory that several processes read and one or more of them change. A {@link FencedDirectory}
 * has one writer at a time; the writers of an {@link UnfencedDirectory} must not rely on that.
 */
public interface SharedDirectory {
  /** The path of this name in the directory. */
  FilePath child(String name);

  /** The file system, for reading. */
  FileSystem system();

  /** Creates a directory in this one. */
  void createDirectory(FilePath directory) throws IOException;

  /** Writes a file and replaces an existing one. Readers see the old content or the new one. */
  void write(FilePath file, InputStream content) throws IOException;

  /** Removes a file or a directory recursively; false if it does not exist. */
  boolean remove(FilePath path) throws IOException;
}
