package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobResult;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ApplicationOutcomeTest {
  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void followsFromResultOfJob() {
    assertThat(outcome(JobStatus.FINISHED).code()).isEqualTo(ExitCode.SUCCEEDED);
    assertThat(outcome(JobStatus.CANCELED).code()).isEqualTo(ExitCode.CANCELED);
    assertThat(outcome(JobStatus.FAILED).code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome(JobStatus.FAILED).reason()).isEqualTo("Job 'x' failed: no water");
  }

  @Test
  @Behaviour("B3: the exit code of a program decides the outcome that cluster managers get")
  void followsFromExitCodeOfProgram() {
    assertThat(ApplicationOutcome.ofProgramExit(OptionalInt.of(0)))
        .isEqualTo(
            new ApplicationOutcome(
                ExitCode.SUCCEEDED,
                "The program called System.exit(0) after its jobs had succeeded."));
    assertThat(ApplicationOutcome.ofProgramExit(OptionalInt.of(7)))
        .isEqualTo(
            new ApplicationOutcome(
                ExitCode.FAILED,
                "The program called System.exit(7) after its jobs had succeeded."));
    assertThat(ApplicationOutcome.ofProgramExit(OptionalInt.empty()).code())
        .isEqualTo(ExitCode.UNKNOWN);
  }

  private static ApplicationOutcome outcome(JobStatus status) {
    return ApplicationOutcome.of(
        "Job 'x'",
        new JobResult(
            new JobId(new Id128(1, 2)),
            status,
            1,
            status == JobStatus.FAILED
                ? Optional.of(Failure.of(ErrorKind.USER, "no water"))
                : Optional.empty()));
  }
}
