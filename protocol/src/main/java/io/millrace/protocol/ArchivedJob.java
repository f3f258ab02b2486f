package io.millrace.protocol;

import io.millrace.core.id.JobId;
import io.millrace.rpc.journal.History;
import java.util.Objects;

/** An ended job with details and history, as it is archived. The graph has no user functions. */
public record ArchivedJob(
    EndedJob ended, JobDetails details, History history, CheckpointStatistics checkpoints) {
  public ArchivedJob {
    Objects.requireNonNull(ended);
    details = details.withoutFunctions();
    Objects.requireNonNull(history);
    Objects.requireNonNull(checkpoints);
    if (!details.id().equals(ended.job())) {
      throw new IllegalArgumentException(
          "Job " + ended.job() + " has the details of job " + details.id());
    }
  }

  /** A job without checkpoints. */
  public ArchivedJob(EndedJob ended, JobDetails details, History history) {
    this(ended, details, history, CheckpointStatistics.NONE);
  }

  public JobId job() {
    return ended.job();
  }
}
