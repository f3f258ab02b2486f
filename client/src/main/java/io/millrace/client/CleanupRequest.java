package io.millrace.client;

import io.millrace.core.error.Failure;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * What `millrace cleanup` removes.
 *
 * @param dryRun whether nothing is removed
 * @param minAge what changed later than this ago is kept: a cluster may be starting
 * @param withJobs whether clusters with jobs that have not ended are removed, too
 * @param unreferenced whether directories are removed that no known cluster refers to
 */
public record CleanupRequest(
    boolean dryRun, Duration minAge, boolean withJobs, boolean unreferenced) {
  public CleanupRequest {
    Objects.requireNonNull(minAge);
  }

  /** Whether something is too new to be removed. */
  public boolean isRecent(Instant lastChange) {
    return lastChange.isAfter(Instant.now().minus(minAge));
  }

  /** Removes something, returning false if it is needed after all. */
  public interface Removal {
    boolean remove() throws IOException;
  }

  /** Removes something unless this is a dry run, and reports it. */
  public CleanupFinding remove(String kind, String item, String reason, Removal removal) {
    try {
      return dryRun || removal.remove()
          ? new CleanupFinding(CleanupFinding.Verdict.REMOVED, kind, item, reason)
          : CleanupFinding.kept(kind, item, "it is in use again");
    } catch (IOException | RuntimeException e) {
      return new CleanupFinding(CleanupFinding.Verdict.FAILED, kind, item, Failure.sentence(e));
    }
  }
}
