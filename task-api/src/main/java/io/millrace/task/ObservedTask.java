package io.millrace.task;

import io.millrace.core.id.JobId;
import java.util.Objects;

/**
 * A task that runs on a host and its counters, for the reporters of the process.
 *
 * @param vertexName the names of its operators
 */
public record ObservedTask(
    JobId job, String jobName, String vertexName, TaskSpec spec, TaskCounters counters) {
  public ObservedTask {
    Objects.requireNonNull(job);
    Objects.requireNonNull(jobName);
    Objects.requireNonNull(vertexName);
    Objects.requireNonNull(spec);
    Objects.requireNonNull(counters);
  }
}
