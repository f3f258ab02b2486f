package io.millrace.rpc.journal;

import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.Objects;
import java.util.Optional;

/**
 * A decision in the journal.
 *
 * @param id assigned by the journal; 0 before
 * @param wallMillis assigned by the journal
 * @param component the component that decided, such as {@code jobmaster} or {@code resourcemanager}
 * @param what the type of the decision, such as {@code slots declared}; the timeline uses it as a
 *     key
 * @param detail a readable sentence
 * @param cause the event that led to this one; 0 for none
 * @param count the number of slots, tasks or workers; 0 if nothing is counted
 * @param tookMillis the duration of what ended with this event; 0 if it has none
 */
public record Event(
    long id,
    long wallMillis,
    String component,
    String what,
    Optional<JobId> job,
    Optional<WorkerId> worker,
    String detail,
    long cause,
    int count,
    long tookMillis) {

  public Event {
    Objects.requireNonNull(component);
    Objects.requireNonNull(what);
    Objects.requireNonNull(job);
    Objects.requireNonNull(worker);
    Objects.requireNonNull(detail);
    if (count < 0 || tookMillis < 0) {
      throw new IllegalArgumentException(
          what + ": count (" + count + ") and tookMillis (" + tookMillis + ") must be >= 0");
    }
  }

  public static Event of(String component, String what, String detail) {
    return new Event(0, 0, component, what, Optional.empty(), Optional.empty(), detail, 0, 0, 0);
  }

  public Event forJob(JobId job) {
    return new Event(
        id,
        wallMillis,
        component,
        what,
        Optional.of(job),
        worker,
        detail,
        cause,
        count,
        tookMillis);
  }

  public Event onWorker(WorkerId worker) {
    return new Event(
        id,
        wallMillis,
        component,
        what,
        job,
        Optional.of(worker),
        detail,
        cause,
        count,
        tookMillis);
  }

  public Event causedBy(long cause) {
    return new Event(
        id, wallMillis, component, what, job, worker, detail, cause, count, tookMillis);
  }

  public Event counting(int count) {
    return new Event(
        id, wallMillis, component, what, job, worker, detail, cause, count, tookMillis);
  }

  public Event taking(long tookMillis) {
    return new Event(
        id, wallMillis, component, what, job, worker, detail, cause, count, tookMillis);
  }

  /** The wall-clock time at which the operation that ended with this event began. */
  public long since() {
    return wallMillis - tookMillis;
  }

  Event appended(long id, long wallMillis) {
    return new Event(
        id, wallMillis, component, what, job, worker, detail, cause, count, tookMillis);
  }
}
