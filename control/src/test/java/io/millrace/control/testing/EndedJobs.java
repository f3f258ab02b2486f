package io.millrace.control.testing;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobType;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.util.LinkedHashMap;
import java.util.Optional;

/** Stored results of ended jobs. */
public final class EndedJobs {
  private EndedJobs() {}

  public static EndedJob of(JobId job, JobStatus status, long endedAt) {
    return new EndedJob(
        new JobResult(
            job,
            status,
            10,
            status == JobStatus.FAILED
                ? Optional.of(Failure.of(ErrorKind.USER, "broken"))
                : Optional.empty()),
        new JobOverview(
            job,
            "ended",
            JobType.STREAMING,
            status,
            endedAt - 10,
            endedAt,
            endedAt,
            new LinkedHashMap<>(),
            Optional.empty()));
  }
}
