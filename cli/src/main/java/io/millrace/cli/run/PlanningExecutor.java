package io.millrace.cli.run;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.program.Program;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Records the jobs of a program without running them. To the program, each job appears to finish at
 * once. A program that reads collected records of a job ends there, because there are none.
 */
final class PlanningExecutor implements JobExecutor {
  /** Bounds a main that executes jobs in an endless loop. */
  static final int MAX_JOBS = 100;

  private final List<Program> jobs = new ArrayList<>();

  @Override
  public JobClient execute(Program job) {
    if (jobs.size() == MAX_JOBS) {
      throw new PlanIncompleteError("it executes more than " + MAX_JOBS + " jobs");
    }
    // Fixed ids, so that the same program gives the same output.
    JobId id = id(jobs.size());
    jobs.add(job);
    return new PlannedJob(id, job.name());
  }

  List<Program> jobs() {
    return jobs;
  }

  static JobId id(int number) {
    return new JobId(new Id128(0, number));
  }

  private record PlannedJob(JobId id, String name) implements JobClient {
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
          new JobExecutionResult(id, name, JobStatus.FINISHED, Duration.ZERO, Optional.empty()));
    }

    @Override
    public Iterator<Object> collected(String collect) {
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          throw new PlanIncompleteError("it needs records of job '" + name + "'");
        }

        @Override
        public Object next() {
          throw new PlanIncompleteError("it needs records of job '" + name + "'");
        }
      };
    }
  }

  /** An error, so that a program that catches exceptions around execute does not continue. */
  static final class PlanIncompleteError extends Error {
    private static final long serialVersionUID = 1L;

    PlanIncompleteError(String why) {
      super(why, null, false, false);
    }
  }
}
