package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.testing.FakeClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobOverview;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClusterReconnectTest {
  private final List<String> events = new ArrayList<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private final ClusterReconnect reconnect =
      new ClusterReconnect(
          new FakeClusterClient().unreachable(0, Duration.ofMinutes(1)),
          new JobListener() {
            @Override
            public void submitted(JobId job, String name) {}

            @Override
            public void changed(JobOverview job) {}

            @Override
            public void unreachable(String address, Duration timeout) {
              events.add("unreachable");
            }

            @Override
            public void reachable(String address) {
              events.add("reachable");
            }
          });

  @Test
  void answerOfTheFirstAttemptIsNoEvent() {
    assertThat(reconnect.call(() -> "answer")).isEqualTo("answer");
    assertThat(events).isEmpty();
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void eachOutageIsReportedOnceWithItsEnd() {
    for (int outage = 0; outage < 2; outage++) {
      attempts.set(0);
      assertThat(reconnect.call(this::answerAtTheThirdAttempt)).isEqualTo(3);
    }
    assertThat(events).containsExactly("unreachable", "reachable", "unreachable", "reachable");
  }

  @Test
  void otherErrorsAreNotRetried() {
    assertThatThrownBy(
            () ->
                reconnect.call(
                    () -> {
                      attempts.incrementAndGet();
                      throw new MillraceException(ErrorKind.USER, "There is no job 7.");
                    }))
        .hasMessage("There is no job 7.");
    assertThat(attempts).hasValue(1);
    assertThat(events).isEmpty();
  }

  @Test
  void interruptedWaitEndsWithAnErrorAndKeepsTheInterrupt() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> reconnect.call(this::answerAtTheThirdAttempt))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("was interrupted")
          .hasMessageContaining("The job continues on the cluster");
      assertThat(attempts).hasValue(1);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private int answerAtTheThirdAttempt() {
    if (attempts.incrementAndGet() < 3) {
      throw new UnreachableException("No JobManager answers.", null);
    }
    return attempts.get();
  }
}
