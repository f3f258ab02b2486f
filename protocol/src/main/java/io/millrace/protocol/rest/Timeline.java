package io.millrace.protocol.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Objects;

/**
 * The steps of a job. Times are milliseconds since the epoch by the clock of the JobManager; steps
 * of other processes have the time at which the JobManager received their reports.
 *
 * @param at the time of this snapshot
 * @param steps in the order in which they began
 * @param dropped the number of events of the job that are no longer known
 * @param notes sentences about missing parts
 */
public record Timeline(
    JobId job,
    String name,
    JobStatus status,
    long at,
    List<Step> steps,
    long dropped,
    List<String> notes) {
  public Timeline {
    Objects.requireNonNull(job);
    Objects.requireNonNull(name);
    Objects.requireNonNull(status);
    steps = OrderedCopies.list(steps);
    notes = OrderedCopies.list(notes);
  }

  /**
   * @param round 0 for the first start of the job, then one for each restart or recovery
   * @param step a title
   * @param process {@code client}, {@code jobmanager}, the id of a TaskManager, or their number
   * @param end equals the start for a step without a duration; -1 for a step in progress
   * @param count the number of slots, tasks or workers, 0 if nothing is counted
   * @param detail a sentence
   */
  public record Step(
      int round, String step, String process, long start, long end, int count, String detail) {
    public Step {
      Objects.requireNonNull(step);
      Objects.requireNonNull(process);
      Objects.requireNonNull(detail);
      if (end >= 0 && end < start) {
        throw new IllegalArgumentException(step + " ends before it starts");
      }
    }

    public boolean isOpen() {
      return end < 0;
    }
  }
}
