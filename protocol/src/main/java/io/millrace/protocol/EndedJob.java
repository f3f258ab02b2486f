package io.millrace.protocol;

import io.millrace.core.id.JobId;
import java.util.Objects;

/** The result and the overview of an ended job, which are stored for the next JobManager. */
public record EndedJob(JobResult result, JobOverview overview) {
  public EndedJob {
    Objects.requireNonNull(result);
    Objects.requireNonNull(overview);
    if (!overview.id().equals(result.job()) || overview.status() != result.status()) {
      throw new IllegalArgumentException(
          "Job " + result.job() + " " + result.status() + " is shown as " + overview);
    }
  }

  public JobId job() {
    return result.job();
  }
}
