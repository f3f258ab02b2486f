package io.millrace.examples;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The client of a job that a runner of tests has run to its end. */
record FinishedJobClient(String name, List<Object> records) implements JobClient {
  @Override
  public JobId id() {
    return new JobId(new Id128(0, 1));
  }

  @Override
  public CompletableFuture<JobStatus> status() {
    return CompletableFuture.completedFuture(JobStatus.FINISHED);
  }

  @Override
  public CompletableFuture<Void> cancel() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<JobExecutionResult> result() {
    return CompletableFuture.completedFuture(
        new JobExecutionResult(id(), name, JobStatus.FINISHED, Duration.ZERO, Optional.empty()));
  }

  @Override
  public Iterator<Object> collected(String name) {
    return records.iterator();
  }
}
