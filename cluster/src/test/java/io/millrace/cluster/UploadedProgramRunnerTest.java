package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.rest.JarRunner.JarRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of uploaded jars, with {@link StubCommandLine} as command line. */
class UploadedProgramRunnerTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String JOB = "0000000000000000000000000000002a";

  @TempDir private Path directory;
  private Optional<UploadedProgramRunner> programs = Optional.empty();

  @AfterEach
  void stop() throws Exception {
    if (programs.isPresent()) {
      programs.get().stop().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void returnsSubmittedJobDespiteOutput() {
    JobId job = await(programs(1, TIMEOUT).run(stubbed("ids")));
    assertThat(job).hasToString(JOB);
    assertNothingLeft();
  }

  @Test
  void returnsPlanDespiteOutput() {
    assertThat(await(programs(1, TIMEOUT).plan(stubbed("plan")))).isEqualTo("{\"nodes\": []}");
    assertNothingLeft();
  }

  @Test
  void reportsErrorOfProgramWithoutPlan() {
    assertThatThrownBy(() -> await(programs(1, TIMEOUT).plan(stubbed("floods"))))
        .hasMessageContaining("The last word")
        .satisfies(failure -> assertThat(kind(failure)).isEqualTo(ErrorKind.USER));
    assertThatThrownBy(() -> await(programs(1, Duration.ofMillis(1)).plan(stubbed("hangs"))))
        .hasMessageContaining("web.run.timeout");
  }

  @Test
  void ignoresJobIdsInOutput() {
    assertThatThrownBy(() -> await(programs(1, TIMEOUT).run(stubbed("only-prints"))))
        .hasMessageContaining(StubCommandLine.PRINTED);
  }

  @Test
  void reportsLastErrorOfProgramWithMuchOutput() {
    assertThatThrownBy(() -> await(programs(1, TIMEOUT).run(stubbed("floods"))))
        .satisfies(
            failure -> {
              assertThat(failure.getMessage()).contains("The last word").hasSizeLessThan(1000);
              assertThat(kind(failure)).isEqualTo(ErrorKind.USER);
            });
  }

  @Test
  void keepsEndOfOutput() {
    assertThatThrownBy(() -> await(programs(1, TIMEOUT).run(stubbed("prints-and-fails"))))
        .satisfies(
            failure ->
                assertThat(failure.getMessage()).contains("the end").hasSizeLessThan(40_000));
  }

  @Test
  void namesSubmittedJobOfFailedProgram() {
    assertThatThrownBy(() -> await(programs(1, TIMEOUT).run(stubbed("submits-and-fails"))))
        .hasMessageContainingAll(JOB, "no more of that");
  }

  @Test
  void killsProgramAfterTimeout() {
    UploadedProgramRunner few = programs(1, Duration.ofMillis(1));
    assertThatThrownBy(() -> await(few.run(stubbed("hangs"))))
        .hasMessageContaining("web.run.timeout");
    // A further program may start.
    assertThatThrownBy(() -> await(few.run(stubbed("hangs"))))
        .hasMessageContaining("web.run.timeout");
  }

  @Test
  void rejectsProgramsAboveLimit() throws Exception {
    UploadedProgramRunner few = programs(2, TIMEOUT);
    CompletableFuture<JobId> one = few.run(stubbed("hangs"));
    CompletableFuture<JobId> two = few.run(stubbed("hangs"));
    assertThatThrownBy(() -> await(few.run(stubbed("ids"))))
        .hasMessageContaining("web.run.max-programs")
        .satisfies(failure -> assertThat(kind(failure)).isEqualTo(ErrorKind.RESOURCE));
    assertThat(one).isNotDone();

    few.stop().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);

    assertThatThrownBy(() -> await(one)).isInstanceOf(CompletionException.class);
    assertThatThrownBy(() -> await(two)).isInstanceOf(CompletionException.class);
    assertThatThrownBy(() -> await(few.run(stubbed("ids")))).hasMessageContaining("is stopping");
  }

  @Test
  void programsEndWithKilledJobManager() throws Exception {
    Path pids = directory.resolve("pids");
    Process parent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StubCommandLine.Parent.class.getName(),
                directory.toString(),
                pids.toString())
            .inheritIO()
            .start();
    Optional<ProcessHandle> child = Optional.empty();
    try {
      await(() -> Files.exists(pids));
      child = ProcessHandle.of(Long.parseLong(Files.readString(pids).strip()));
      ProcessHandle watched = child.orElseThrow();
      assertThat(isRunning(watched)).isTrue();

      parent.destroyForcibly().waitFor();

      await(() -> !isRunning(watched));
    } finally {
      parent.destroyForcibly();
      child.ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** A zombie process has no arguments. */
  private static boolean isRunning(ProcessHandle process) {
    try {
      return process.isAlive()
          && Files.readAllBytes(Path.of("/proc", String.valueOf(process.pid()), "cmdline")).length
              > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private UploadedProgramRunner programs(int most, Duration time) {
    UploadedProgramRunner created =
        new UploadedProgramRunner(
            directory,
            new UploadedProgramRunner.Limits(most, time),
            StubCommandLine.class.getName());
    programs = Optional.of(created);
    return created;
  }

  static JarRun stubbed(String what) {
    return new JarRun(
        Path.of("some.jar"),
        Optional.empty(),
        List.of(what),
        Optional.empty(),
        Optional.empty(),
        Configuration.EMPTY);
  }

  private static ErrorKind kind(Throwable failure) {
    return ((MillraceException) failure.getCause()).kind();
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
  }

  private void assertNothingLeft() {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
