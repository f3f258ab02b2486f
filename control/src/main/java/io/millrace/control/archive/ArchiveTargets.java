package io.millrace.control.archive;

import java.util.Objects;
import java.util.Optional;

/**
 * Where a JobManager writes ended jobs besides its memory.
 *
 * @param store the archive of this JobManager and its successors
 * @param history receives ended jobs for a history server
 */
public record ArchiveTargets(Optional<ArchiveStore> store, Optional<HistorySink> history) {
  /** No archive: ended jobs are kept in memory only. */
  public static final ArchiveTargets NONE = new ArchiveTargets(Optional.empty(), Optional.empty());

  public ArchiveTargets {
    Objects.requireNonNull(store);
    Objects.requireNonNull(history);
  }
}
