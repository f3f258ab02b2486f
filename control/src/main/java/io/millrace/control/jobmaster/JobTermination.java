package io.millrace.control.jobmaster;

import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.util.Objects;

/**
 * The final state of a job.
 *
 * @param collected records that the client has not fetched; owned by the receiver of this record
 */
public record JobTermination(
    JobResult result,
    JobDetails details,
    JobOverview overview,
    CheckpointStatistics checkpoints,
    CollectedRecordsBuffer collected) {
  public JobTermination {
    Objects.requireNonNull(result);
    Objects.requireNonNull(details);
    Objects.requireNonNull(overview);
    Objects.requireNonNull(checkpoints);
    Objects.requireNonNull(collected);
  }

  /** The end of a job without checkpoints. */
  public JobTermination(
      JobResult result,
      JobDetails details,
      JobOverview overview,
      CollectedRecordsBuffer collected) {
    this(result, details, overview, CheckpointStatistics.NONE, collected);
  }
}
