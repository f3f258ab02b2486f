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
 * Takes the jobs of a program without running them. To the program each looks as if it had finished
 * at once; a program that asks for records that a job collected ends there, because there are none.
 */
final class PlanningExecutor implements JobExecutor {
  /** A main that runs jobs for ever would never end. */
  static final int MOST_JOBS = 100;

  private final List<Program> jobs = new ArrayList<>();

  @Override
  public JobClient execute(Program job) {
    if (jobs.size() == MOST_JOBS) {
      throw new PlanIncompleteError("it executes more than " + MOST_JOBS + " jobs");
    }
    // Jobs that do not run have no ids of their own; the same program shows the same graphs.
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

  /** An error, because programs that catch exceptions around execute should not go on. */
  static final class PlanIncompleteError extends Error {
    private static final long serialVersionUID = 1L;

    PlanIncompleteError(String why) {
      super(why, null, false, false);
    }
  }
}
