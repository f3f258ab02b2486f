package io.millrace.rpc.journal;

import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.Objects;
import java.util.Optional;

/**
 * One decision: what was decided, when, for whom and because of what.
 *
 * @param id set by the journal; 0 before
 * @param wallMillis set by the journal
 * @param event what was decided; the layers above say which events there are
 * @param cause the entry that led to this one, 0 for none
 * @param tookMillis how long that took which has ended now; 0 for what takes no time
 */
public record JournalEntry(
    long id,
    long wallMillis,
    Record event,
    Optional<JobId> job,
    Optional<WorkerId> worker,
    long cause,
    long tookMillis) {

  public JournalEntry {
    Objects.requireNonNull(event);
    Objects.requireNonNull(job);
    Objects.requireNonNull(worker);
    if (tookMillis < 0) {
      throw new IllegalArgumentException("tookMillis must be >= 0, not " + tookMillis);
    }
  }

  public static JournalEntry of(Record event) {
    return new JournalEntry(0, 0, event, Optional.empty(), Optional.empty(), 0, 0);
  }

  public JournalEntry forJob(JobId job) {
    return new JournalEntry(id, wallMillis, event, Optional.of(job), worker, cause, tookMillis);
  }

  public JournalEntry onWorker(WorkerId worker) {
    return new JournalEntry(id, wallMillis, event, job, Optional.of(worker), cause, tookMillis);
  }

  public JournalEntry causedBy(long cause) {
    return new JournalEntry(id, wallMillis, event, job, worker, cause, tookMillis);
  }

  public JournalEntry taking(long tookMillis) {
    return new JournalEntry(id, wallMillis, event, job, worker, cause, tookMillis);
  }

  /** When that began which has ended with this entry. */
  public long since() {
    return wallMillis - tookMillis;
  }

  JournalEntry appended(long id, long wallMillis) {
    return new JournalEntry(id, wallMillis, event, job, worker, cause, tookMillis);
  }
}
