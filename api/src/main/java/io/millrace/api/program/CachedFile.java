package io.millrace.api.program;

import java.util.Objects;

/**
 * A file or directory that the functions of a job open on every TaskManager.
 *
 * @param name under which functions find it
 * @param path where it is; with a scheme for files of another file system
 * @param isArchive whether it is a zip archive that is unpacked
 * @param isExecutable whether its files are made executable
 */
public record CachedFile(String name, String path, boolean isArchive, boolean isExecutable) {
  public CachedFile {
    Objects.requireNonNull(name);
    Objects.requireNonNull(path);
  }
}
