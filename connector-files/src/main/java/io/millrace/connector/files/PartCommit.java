package io.millrace.connector.files;

import java.util.List;
import java.util.Objects;

/**
 * A committable of {@link FileSink}. Paths are complete, so that a checkpoint can be restored by a
 * sink that writes to another directory.
 */
sealed interface PartCommit {
  /** Gives a complete part its name. */
  record Publish(String from, String to) implements PartCommit {
    public Publish {
      Objects.requireNonNull(from);
      Objects.requireNonNull(to);
    }
  }

  /**
   * Deletes parts that this job replaces, and unfinished ones of killed attempts. No later part has
   * one of these names, so the deletion can be repeated at any time. At the end of the input, also
   * the directory of unfinished parts, unless other writers still have some in it.
   */
  record Delete(List<String> files) implements PartCommit {
    public Delete {
      files = List.copyOf(files);
    }
  }
}
