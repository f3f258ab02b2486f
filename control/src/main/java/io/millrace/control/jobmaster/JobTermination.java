package io.millrace.control.jobmaster;

import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.util.Objects;

/**
 * What is left of a job.
 *
 * @param collected what the client has not fetched yet; belongs to whoever is handed this
 */
public record JobTermination(
    JobResult result, JobDetails details, JobOverview overview, CollectedRecordsBuffer collected) {
  public JobTermination {
    Objects.requireNonNull(result);
    Objects.requireNonNull(details);
    Objects.requireNonNull(overview);
    Objects.requireNonNull(collected);
  }
}
