package io.millrace.control.archive;

import java.util.Objects;
import java.util.Optional;

/**
 * Where ended jobs go besides the memory of their JobManager.
 *
 * @param pages for what this JobManager and the next one tell of them
 * @param history for others
 */
public record ArchiveTargets(Optional<ArchiveStore> pages, Optional<HistorySink> history) {
  /** Nowhere: they are remembered as long as their JobManager lives. */
  public static final ArchiveTargets NONE = new ArchiveTargets(Optional.empty(), Optional.empty());

  public ArchiveTargets {
    Objects.requireNonNull(pages);
    Objects.requireNonNull(history);
  }
}
