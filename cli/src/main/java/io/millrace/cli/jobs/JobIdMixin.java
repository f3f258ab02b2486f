package io.millrace.cli.jobs;

import io.millrace.cli.common.UsageException;
import io.millrace.client.RestClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import picocli.CommandLine.Parameters;

/** The parameter with the id of a job. */
final class JobIdMixin {
  @Parameters(paramLabel = "JOB", description = "Id of the job, as `list` shows it.")
  private String job;

  JobId id() {
    return parse(job);
  }

  static JobId parse(String job) {
    try {
      return JobId.parse(job);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "'"
              + job
              + "' is not a job id. A job id has 32 hex digits, such as"
              + " 5e20cb6b0f357591171dfcca2eea09de. `millrace list -a` shows the ids of the"
              + " cluster's jobs.",
          e);
    }
  }

  static MillraceException unknown(JobId id, RestClusterClient cluster) {
    return new MillraceException(
        ErrorKind.USER,
        "The cluster at "
            + cluster.address()
            + " knows no job "
            + id
            + ". `millrace list -a` shows the jobs that it knows.");
  }
}
