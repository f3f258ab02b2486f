package io.millrace.protocol;

import io.millrace.core.id.JobId;
import io.millrace.rpc.journal.History;
import java.util.Objects;

/** All that is kept of a job that has ended; what its operators ran is not. */
public record ArchivedJob(EndedJob ended, JobDetails details, History history) {
  public ArchivedJob {
    Objects.requireNonNull(ended);
    details = details.withoutFunctions();
    Objects.requireNonNull(history);
    if (!details.id().equals(ended.job())) {
      throw new IllegalArgumentException(
          "Job " + ended.job() + " has the details of job " + details.id());
    }
  }

  public JobId job() {
    return ended.job();
  }
}
