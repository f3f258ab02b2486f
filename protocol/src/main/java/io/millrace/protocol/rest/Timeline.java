package io.millrace.protocol.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Objects;

/**
 * The life of a job, step by step. Times are milliseconds since the epoch by the JobManager's
 * clock; what other processes did has the time at which the JobManager heard of it.
 *
 * @param at when this was so
 * @param steps in the order in which they began
 * @param dropped how many events of the job are no longer known
 * @param notes sentences on what is missing
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
   * @param step a few words
   * @param process {@code client}, {@code jobmanager}, the id of a TaskManager, or how many of them
   * @param end equals the start for what took no time; -1 for what still goes on
   * @param count how many slots, tasks or workers it is about, 0 where nothing is counted
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
