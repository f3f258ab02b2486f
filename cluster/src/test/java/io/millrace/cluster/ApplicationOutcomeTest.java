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
