package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Attempts to run the job of a per-job cluster, on the recovery data of an earlier attempt. */
@ResourceLock("ProgramContext")
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class PerJobProcessTest {
  @TempDir private Path directory;
  private final BlobStore blobs = new MemoryBlobStore();
  private final MemoryHaStore store = new MemoryHaStore();
  private final List<Throwable> fatal = new ArrayList<>();

  @Test
  @Behaviour(
      "C4: a per-job cluster ends with its job; a restarted attempt does not run a job whose"
          + " result is stored")
  void endsWithOutcomeOfJob() throws Exception {
    JobGraph graph = graph();
    Path jar = Files.writeString(directory.resolve("some.jar"), "not looked into here");
    try (JobManagerAttempt attempt = attempt()) {
      CompletableFuture<ApplicationOutcome> outcome =
          CompletableFuture.supplyAsync(
              () -> PerJobProcess.run(attempt.client, graph, List.of(jar)));
      while (attempt.client.jobs().isEmpty()) {
        Thread.onSpinWait();
      }
      attempt.client.cancel(graph.id());
      assertThat(outcome.get().code()).isEqualTo(ExitCode.CANCELED);
      assertThat(outcome.get().reason()).contains("'one'", graph.id().toString());
    }
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "C4: a per-job cluster ends with its job; a restarted attempt does not run a job whose"
          + " result is stored")
  void continuesRecoveredJob() throws Exception {
    JobGraph graph = graph();
    try (JobManagerAttempt first = attempt()) {
      first.client.submit(graph, List.of());
    }
    try (JobManagerAttempt second = attempt()) {
      assertThat(second.client.jobs()).hasSize(1);
      CompletableFuture<ApplicationOutcome> outcome =
          CompletableFuture.supplyAsync(() -> PerJobProcess.run(second.client, graph, List.of()));
      second.client.cancel(graph.id());
      assertThat(outcome.get().code()).isEqualTo(ExitCode.CANCELED);
      assertThat(second.client.jobs()).hasSize(1);
    }
  }

  @Test
  @Behaviour(
      "C4: a per-job cluster ends with its job; a restarted attempt does not run a job whose"
          + " result is stored")
  void returnsStoredResult() throws Exception {
    JobGraph graph = graph();
    long now = System.currentTimeMillis();
    new JobResultStore(store, Messages.graphCodec())
        .put(
            new EndedJob(
                new JobResult(
                    graph.id(),
                    JobStatus.FAILED,
                    7,
                    Optional.of(Failure.of(ErrorKind.USER, "as before"))),
                new JobOverview(
                    graph.id(),
                    "one",
                    JobType.BATCH,
                    JobStatus.FAILED,
                    now - 7,
                    now,
                    now,
                    Map.of(),
                    Optional.empty())),
            1);
    try (JobManagerAttempt attempt = attempt()) {
      ApplicationOutcome outcome = PerJobProcess.run(attempt.client, graph, List.of());
      assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
      assertThat(outcome.reason()).contains("as before");
    }
  }

  @Test
  void rejectsInvalidGraphBeforeStart() throws Exception {
    Path graph = Files.writeString(directory.resolve("job.graph"), "no graph");
    assertThatThrownBy(
            () ->
                PerJobProcess.run(
                    Configuration.EMPTY,
                    new PerJobProcess.StagedJob(graph, List.of(), Duration.ZERO, Optional.empty())))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(graph.toString());
  }

  /** The graph that a client would stage. */
  private static JobGraph graph() throws Exception {
    List<JobGraph> written = new ArrayList<>();
    new ProgramContext(
            program -> {
              written.add(Graphs.jobGraph(program, JobId.random(ThreadLocalRandom.current())));
              return null;
            },
            Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              env.fromElements(1, 2, 3).print();
              return env.executeAsync("one");
            });
    return written.get(0);
  }

  private JobManagerAttempt attempt() {
    return new JobManagerAttempt(blobs, store, fatal::add);
  }
}
