package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientHeartbeatsTest {
  private static final JobId JOB = new JobId(new Id128(0, 7));
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("dispatcher");
  private final List<JobId> lost = new ArrayList<>();
  private final ClientHeartbeats clients =
      new ClientHeartbeats(env, mailbox, (job, why) -> lost.add(job));

  @Test
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  void pausesOfTheProcessDoNotCountAsSilence() {
    expect();
    env.advance(INTERVAL);
    env.in(mailbox, () -> clients.hear(JOB));
    env.advance(INTERVAL.dividedBy(2));

    env.freeze(TIMEOUT.multipliedBy(2));
    // Heartbeats that arrived during the pause are processed after the check.
    env.settle();
    assertThat(lost).isEmpty();
    env.advance(INTERVAL);
    assertThat(lost).isEmpty();

    env.advance(TIMEOUT);
    assertThat(lost).containsExactly(JOB);
  }

  @Test
  void reportsALostClientOnceAtItsTimeout() {
    expect();
    env.advance(TIMEOUT.minusMillis(1));
    assertThat(lost).isEmpty();
    env.advance(Duration.ofMillis(1));
    assertThat(lost).containsExactly(JOB);

    env.advance(TIMEOUT.multipliedBy(3));
    assertThat(lost).hasSize(1);
  }

  @Test
  void clientOfAnEndedJobIsNotReported() {
    expect();
    env.in(mailbox, () -> clients.forget(JOB));
    env.advance(TIMEOUT.multipliedBy(2));
    assertThat(lost).isEmpty();
  }

  private void expect() {
    env.in(mailbox, () -> clients.expect(JOB, TIMEOUT));
  }
}
