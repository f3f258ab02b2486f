package io.millrace.graph;

import java.util.Objects;

/**
 * A file that functions of a job open by name on each TaskManager.
 *
 * @param location the name of a {@link JarFile} of the job if the file travels with it, else a path
 *     that TaskManagers read
 * @param isArchive whether it is a zip archive, whose content functions open as a directory
 * @param isExecutable whether its files are made executable
 */
public record JobFile(
    String name, String location, boolean travels, boolean isArchive, boolean isExecutable) {
  public JobFile {
    Objects.requireNonNull(name);
    Objects.requireNonNull(location);
  }
}
