package io.millrace.core.fs;

import java.util.Objects;

/**
 * A file or directory.
 *
 * @param length in bytes; 0 for a directory
 */
public record FileStatus(FilePath path, boolean isDirectory, long length) {
  public FileStatus {
    Objects.requireNonNull(path);
    if (length < 0) {
      throw new IllegalArgumentException(path + ": length must be >= 0, but is " + length);
    }
  }
}
