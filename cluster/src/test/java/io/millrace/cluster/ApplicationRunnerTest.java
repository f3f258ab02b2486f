package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterClient;
import io.millrace.client.PackagedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** How the outcome of an application follows from its jobs and its main. */
@ResourceLock("ProgramContext")
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class ApplicationRunnerTest {
  @TempDir private Path directory;
  private final FakeCluster cluster = new FakeCluster();
  private Path jar;

  @BeforeEach
  void createJar() throws IOException {
    jar = jar(directory, SomeApplication.class);
  }

  /** A jar whose main class is on the class path of the test. */
  static Path jar(Path directory, Class<?> program) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, program.getName());
    Path file = directory.resolve("program.jar");
    new JarOutputStream(Files.newOutputStream(file), manifest).close();
    return file;
  }

  @Test
  void succeedsIfAllJobsFinish() {
    assertThat(run("one", "one", "two").code()).isEqualTo(ExitCode.SUCCEEDED);
    assertThat(cluster.names).hasSize(3).containsValues("one", "two");
  }

  @Test
  void failsWithFailedJobAndItsCause() {
    assertThat(run("one", "fails", "never"))
        .satisfies(
            outcome -> {
              assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
              assertThat(outcome.reason()).contains("Job 'fails' (", "boom");
            });
    assertThat(cluster.names).doesNotContainValue("never");
  }

  @Test
  void includesJobsThatMainDidNotAwait() {
    assertThat(run("async", "fails", "one").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void isCancelledWithCancelledJob() {
    assertThat(run("is cancelled").code()).isEqualTo(ExitCode.CANCELED);
    assertThat(run("async", "is cancelled", "fails").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void failsIfMainThrowsAndCancelsRunningJobs() {
    ApplicationOutcome outcome = run("async", "runs", "throw");
    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.reason()).contains("main has failed");
    assertThat(cluster.names.values()).containsExactly("is cancelled");
  }

  @Test
  void failsWithoutJob() {
    assertThat(run()).extracting(ApplicationOutcome::code).isEqualTo(ExitCode.FAILED);
    assertThat(run().reason()).contains("without running a job");
  }

  @Test
  void isUnknownIfResultIsNotAvailable() {
    assertThat(run("async", "is forgotten").code()).isEqualTo(ExitCode.UNKNOWN);
  }

  @Test
  void programExitHasOutcomeOfJobs() {
    assertThat(exited("async", "one")).isEmpty();
    assertThat(exited("async", "one", "runs").orElseThrow())
        .satisfies(
            outcome -> {
              assertThat(outcome.code()).isEqualTo(ExitCode.UNKNOWN);
              assertThat(outcome.reason()).contains("System.exit", "'runs'", "had not ended");
            });
    assertThat(exited("async", "runs", "fails").orElseThrow().code()).isEqualTo(ExitCode.FAILED);
    assertThat(exited().orElseThrow().code()).isEqualTo(ExitCode.FAILED);
  }

  private ApplicationOutcome run(String... arguments) {
    cluster.names.clear();
    try (PackagedProgram program = open()) {
      return new ApplicationRunner(program, List.of(arguments), Configuration.EMPTY, cluster).run();
    }
  }

  /** The outcome if main calls System.exit after it has submitted these jobs. */
  private Optional<ApplicationOutcome> exited(String... arguments) {
    cluster.names.clear();
    try (PackagedProgram program = open()) {
      ApplicationRunner run =
          new ApplicationRunner(program, List.of(arguments), Configuration.EMPTY, cluster);
      run.callMain();
      return run.exited();
    }
  }

  private PackagedProgram open() {
    return PackagedProgram.open(jar, Configuration.EMPTY);
  }

  /** Each job ends at once as its name says; a job {@code runs} runs until it is cancelled. */
  private static final class FakeCluster implements ClusterClient {
    private final Map<JobId, String> names = new LinkedHashMap<>();

    @Override
    public String address() {
      return "fake";
    }

    @Override
    public synchronized void submit(JobGraph graph, List<Path> jars) {
      names.put(graph.id(), graph.name());
    }

    @Override
    public List<JobOverview> jobs() {
      return List.of();
    }

    @Override
    public synchronized Optional<JobResult> awaitResult(JobId job, Duration timeout) {
      return switch (names.get(job)) {
        case "runs" -> Optional.empty();
        case "is forgotten" -> throw new MillraceException(ErrorKind.EXTERNAL, "no idea");
        case "fails" ->
            Optional.of(
                new JobResult(
                    job, JobStatus.FAILED, 5, Optional.of(Failure.of(ErrorKind.USER, "boom"))));
        case "is cancelled" ->
            Optional.of(new JobResult(job, JobStatus.CANCELED, 5, Optional.empty()));
        default -> Optional.of(new JobResult(job, JobStatus.FINISHED, 5, Optional.empty()));
      };
    }

    @Override
    public synchronized CancelOutcome cancel(JobId job) {
      names.put(job, "is cancelled");
      return CancelOutcome.ACCEPTED;
    }

    @Override
    public CollectedPage collected(JobId job, String name, long next, Duration timeout) {
      return new CollectedPage(true, next, List.of(), true);
    }

    @Override
    public void close() {}
  }
}
