package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.cli.jobs.CancelCommand.Wait;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CancelCommandTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final JobResult CANCELED =
      new JobResult(new JobId(new Id128(1, 2)), JobStatus.CANCELED, 5, Optional.empty());

  private final List<Duration> asked = new ArrayList<>();
  private Duration now = Duration.ofDays(1);

  @Test
  void waitsUntilItsTimeIsOverAlsoIfTheClusterAnswersEarlier() {
    Wait wait = Wait.forEnd(left -> answer(left, 12), MAX_WAIT, this::nanos);
    assertThat(wait).isEqualTo(new Wait(Optional.empty(), Duration.ofSeconds(36)));
    assertThat(asked)
        .containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(18), Duration.ofSeconds(6));
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void endsWithTheJob() {
    Wait wait =
        Wait.forEnd(
            left -> {
              boolean first = asked.isEmpty();
              answer(left, 10);
              return first ? Optional.empty() : Optional.of(CANCELED);
            },
            MAX_WAIT,
            this::nanos);
    assertThat(wait).isEqualTo(new Wait(Optional.of(CANCELED), Duration.ofSeconds(20)));
  }

  private Optional<JobResult> answer(Duration left, long seconds) {
    asked.add(left);
    now = now.plusSeconds(seconds);
    return Optional.empty();
  }

  private long nanos() {
    return now.toNanos();
  }
}
