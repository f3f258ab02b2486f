package io.millrace.api;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.program.Program;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Keeps the programs it gets; its jobs end at once, as they are told to. */
final class RecordingExecutor implements JobExecutor {
  final List<Program> programs = new ArrayList<>();
  final List<String> cancelled = new ArrayList<>();
  final List<DataSetId> released = new ArrayList<>();
  JobStatus end = JobStatus.FINISHED;
  List<Object> records = List.of();

  @Override
  public void release(List<DataSetId> dataSets) {
    released.addAll(dataSets);
  }

  @Override
  public JobClient execute(Program program) {
    programs.add(program);
    JobId id = new JobId(new Id128(0, programs.size()));
    CompletableFuture<JobExecutionResult> result = new CompletableFuture<>();
    if (end.isTerminal()) {
      result.complete(
          new JobExecutionResult(
              id,
              program.name(),
              end,
              Duration.ofMillis(1),
              end == JobStatus.FAILED
                  ? Optional.of(Failure.of(ErrorKind.USER, "the map threw"))
                  : Optional.empty()));
    }
    return new JobClient() {
      @Override
      public JobId id() {
        return id;
      }

      @Override
      public CompletableFuture<JobStatus> status() {
        return CompletableFuture.completedFuture(end);
      }

      @Override
      public CompletableFuture<Void> cancel() {
        cancelled.add(program.name());
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public CompletableFuture<JobExecutionResult> result() {
        return result;
      }

      @Override
      public Iterator<Object> collected(String name) {
        return records.iterator();
      }
    };
  }
}
