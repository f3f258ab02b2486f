package io.millrace.core.fs;

import java.util.Objects;

/**
 * What is at a place.
 *
 * @param length in bytes; 0 for a directory
 */
public record FileStatus(FilePath path, boolean isDirectory, long length) {
  public FileStatus {
    Objects.requireNonNull(path);
    if (length < 0) {
      throw new IllegalArgumentException(path + " cannot have " + length + " bytes");
    }
  }
}
