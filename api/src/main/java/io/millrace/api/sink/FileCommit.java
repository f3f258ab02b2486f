package io.millrace.api.sink;

import java.util.List;
import java.util.Objects;

/**
 * A committable of {@link TextFileSink}. Paths are complete, so that a checkpoint can be restored
 * by a sink that writes to another directory.
 */
sealed interface FileCommit {
  /** Gives a complete part its name. */
  record Rename(String from, String to) implements FileCommit {
    public Rename {
      Objects.requireNonNull(from);
      Objects.requireNonNull(to);
    }
  }

  /**
   * Removes parts that this job replaces, and unfinished ones of killed attempts. The job has no
   * files with these names any more, so the removal can be repeated at any time.
   */
  record Remove(List<String> parts) implements FileCommit {
    public Remove {
      parts = List.copyOf(parts);
    }
  }
}
