package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunProgressTest {
  private static final JobId JOB = new JobId(new Id128(0, 7));

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private RunProgress progress;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    progress = new RunProgress(cli.console(), true);
  }

  @Test
  @Behaviour("A6: an attached run prints each job id as soon as the cluster has accepted it")
  void idOfAnAttachedJobIsProgressAndThatOfADetachedJobTheResult() {
    progress.submitted(JOB, "x");
    assertThat(cli.err()).isEqualTo("Job has been submitted with JobID " + JOB + "\n");
    assertThat(cli.out()).isEmpty();
    new RunProgress(cli.console(), false).submitted(JOB, "x");
    assertThat(cli.out()).isEqualTo("Job has been submitted with JobID " + JOB + "\n");
  }

  @Test
  void idsAreAppendedToTheFile() {
    Path file = directory.resolve("ids");
    RunProgress writing = new RunProgress(cli.console(), true, file);
    writing.submitted(JOB, "x");
    writing.submitted(new JobId(new Id128(0, 8)), "y");
    assertThat(file).content().isEqualTo(JOB + "\n" + "0".repeat(31) + "8\n");
  }

  @Test
  void fileThatCannotBeWrittenIsAnErrorThatNamesTheJob() {
    Path file = directory.resolve("missing").resolve("ids");
    RunProgress writing = new RunProgress(cli.console(), true, file);
    assertThatThrownBy(() -> writing.submitted(JOB, "x"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("Job " + JOB + " runs")
        .hasMessageContaining(file.toString());
  }

  @Test
  void changesNameStateAndReason() {
    progress.changed(FakeClusterClient.overview(JobStatus.RUNNING));
    progress.changed(FakeClusterClient.waiting(JobStatus.CREATED, "2 slots\nof 4"));
    assertThat(cli.err().lines())
        .containsExactly(
            "Job " + "0".repeat(32) + " is RUNNING",
            "Job " + "0".repeat(32) + " is CREATED, waiting: 2 slots of 4.");
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void outageNamesAddressAndTime() {
    progress.unreachable("host:1", Duration.ofSeconds(60));
    progress.reachable("host:1");
    assertThat(cli.err().lines())
        .containsExactly(
            "The JobManager at host:1 does not answer. Waiting up to 60 s until it answers again.",
            "The JobManager at host:1 answers again");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void finishedJobIsZeroWithItsRuntime() {
    assertThat(progress.report(result(JobStatus.FINISHED), false)).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).isEqualTo("Job 'my job' (" + JOB + ") finished in 1.23 s\n");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void cancelledJobIsFour() {
    assertThat(progress.report(result(JobStatus.CANCELED), false))
        .isEqualTo(ExitCodes.JOB_CANCELED);
    assertThat(cli.err()).isEqualTo("millrace: Job 'my job' (" + JOB + ") was cancelled.\n");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void failedJobIsThreeWithItsMessageInOneLine() {
    assertThat(progress.report(failed("boom\nand\tmore", ""), false))
        .isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).isEqualTo("millrace: Job 'my job' (" + JOB + ") failed: boom and more\n");
  }

  @Test
  void stackOfTheEngineAloneHasNoLineOfTheProgram() {
    progress.report(failed("boom", "t: boom\n\tat io.millrace.dataplane.X.y(X.java:5)\n"), false);
    assertThat(cli.err().lines()).last().isEqualTo("--verbose shows the whole stack trace.");
  }

  @Test
  void verbosePrintsTheWholeStack() {
    progress.report(failed("boom", "t: boom\n\tat some.Place.map(Place.java:12)"), true);
    assertThat(cli.err())
        .endsWith("t: boom\n\tat some.Place.map(Place.java:12)\n")
        .doesNotContain("--verbose");
  }

  private static JobExecutionResult result(JobStatus status) {
    return new JobExecutionResult(JOB, "my job", status, Duration.ofMillis(1234), Optional.empty());
  }

  private static JobExecutionResult failed(String message, String stack) {
    return new JobExecutionResult(
        JOB,
        "my job",
        JobStatus.FAILED,
        Duration.ofMillis(1234),
        Optional.of(new Failure(ErrorKind.USER, "t", message, stack)));
  }
}
