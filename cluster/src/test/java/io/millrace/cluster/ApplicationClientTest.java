package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.PackagedProgram;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobType;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A second attempt of an application, after the JobManager of the first attempt has ended. */
@ResourceLock("ProgramContext")
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class ApplicationClientTest {
  @TempDir private Path directory;
  private final BlobStore blobs = new MemoryBlobStore();
  private final MemoryHaStore store = new MemoryHaStore();
  private final List<Throwable> fatal = new ArrayList<>();
  private final long now = System.currentTimeMillis();

  @Test
  @Behaviour("C4: an application attaches to a recovered job or a stored result")
  void attachesToStoredResult() throws Exception {
    JobId job =
        new ApplicationJobIds(HighAvailabilityOptions.HA_CLUSTER_ID.defaultText().orElseThrow())
            .next("one");
    new JobResultStore(store, Messages.graphCodec()).put(failed(job), 1);
    try (JobManagerAttempt attempt = attempt();
        PackagedProgram program = program()) {
      ApplicationOutcome outcome = run(attempt, program, "one").run();
      assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
      assertThat(outcome.reason()).contains(job.toString(), "as before");
      assertThat(attempt.client.jobs()).containsExactly(failed(job).overview());
    }
    assertThat(fatal).isEmpty();
  }

  private EndedJob failed(JobId job) {
    JobStatus status = JobStatus.FAILED;
    return new EndedJob(
        new JobResult(job, status, 7, Optional.of(Failure.of(ErrorKind.USER, "as before"))),
        new JobOverview(
            job, "one", JobType.BATCH, status, now - 7, now, now, Map.of(), Optional.empty()));
  }

  /** Without workers, so that the job still runs when the second attempt begins. */
  @Test
  @Behaviour("C4: an application attaches to a recovered job or a stored result")
  void attachesToRecoveredJob() throws Exception {
    JobId job;
    try (JobManagerAttempt first = attempt();
        PackagedProgram program = program()) {
      run(first, program, "async", "one").callMain();
      assertThat(first.client.jobs()).hasSize(1);
      job = first.client.jobs().get(0).id();
    }
    try (JobManagerAttempt second = attempt();
        PackagedProgram program = program()) {
      assertThat(second.client.jobs()).extracting(JobOverview::id).containsExactly(job);
      ApplicationRunner run = run(second, program, "one");
      CompletableFuture<ApplicationOutcome> outcome = CompletableFuture.supplyAsync(run::run);
      while (run.exited().orElseThrow().code() != ExitCode.UNKNOWN) {
        Thread.onSpinWait();
      }
      assertThat(second.client.jobs()).extracting(JobOverview::id).containsExactly(job);
      second.client.cancel(job);
      assertThat(outcome.get().code()).isEqualTo(ExitCode.CANCELED);
    }
    assertThat(fatal).isEmpty();
  }

  private PackagedProgram program() throws Exception {
    return PackagedProgram.open(
        ApplicationRunnerTest.jar(directory, SomeApplication.class), Configuration.EMPTY);
  }

  private JobManagerAttempt attempt() {
    return new JobManagerAttempt(blobs, store, fatal::add);
  }

  private static ApplicationRunner run(
      JobManagerAttempt attempt, PackagedProgram program, String... arguments) {
    return new ApplicationRunner(program, List.of(arguments), Configuration.EMPTY, attempt.client);
  }
}
