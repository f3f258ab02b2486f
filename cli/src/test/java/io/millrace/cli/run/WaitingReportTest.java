package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobType;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.reason.ErrorReason;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaitingReportTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));

  private final WaitingReport report = new WaitingReport();

  @Test
  @Behaviour("D11: a run shows a reason once in full, and then only what is new in it")
  void onlyNewSentencesAreRepeated() {
    assertThat(waits("1 slot is missing. The start failed: no such flag. It is retried."))
        .contains(
            "Job "
                + JOB
                + " is RUNNING, waiting: 1 slot is missing. The start failed: no such flag. It is"
                + " retried.");
    assertThat(waits("1 slot is missing. Asked for 1 worker."))
        .contains("Job " + JOB + " is RUNNING, still waiting: Asked for 1 worker.");
    assertThat(
            waits(
                "1 slot is missing. The start failed: no such flag. 2 starts failed. It is"
                    + " retried."))
        .contains("Job " + JOB + " is RUNNING, still waiting: 2 starts failed.");
    assertThat(waits("1 slot is missing. Asked for 1 worker.")).isEmpty();
  }

  @Test
  void jobThatWaitsAgainSaysEverythingAgain() {
    waits("1 slot is missing.");
    assertThat(report.line(job(JobStatus.RUNNING))).contains("Job " + JOB + " is RUNNING");
    assertThat(waits("1 slot is missing.")).isPresent();
    assertThat(
            report.line(
                job(JobStatus.RESTARTING).withWaitingFor(new ErrorReason("1 slot is missing."))))
        .contains("Job " + JOB + " is RESTARTING, waiting: 1 slot is missing.");
  }

  private Optional<String> waits(String why) {
    return report.line(job(JobStatus.RUNNING).withWaitingFor(new ErrorReason(why)));
  }

  private static JobOverview job(JobStatus status) {
    return new JobOverview(
        JOB, "counts", JobType.STREAMING, status, 0, -1, 0, Map.of(), Optional.empty());
  }
}
