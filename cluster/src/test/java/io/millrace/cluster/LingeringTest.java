package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class LingeringTest {
  private static final ApplicationEnding DONE =
      new ApplicationEnding(ExitCode.SUCCEEDED, "Its job finished.");

  private final List<ApplicationEnding> ended = new ArrayList<>();

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void staysUntilAClientDismissesIt() throws Exception {
    Lingering lingering = new Lingering(ended::add, Duration.ofHours(1));
    CompletableFuture<Void> ending = CompletableFuture.runAsync(() -> lingering.end(DONE));
    while (!lingering.isWaiting()) {
      assertThat(ending).isNotDone();
      Thread.onSpinWait();
    }
    lingering.shutDown();
    ending.get();
    assertThat(ended).first().isEqualTo(DONE);
  }

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void endsAtOnceWhereNobodyWaits() {
    new Lingering(ended::add, Duration.ZERO).end(DONE);
    assertThat(ended).containsExactly(DONE);
  }

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void endsWhereNobodyAsksInTime() {
    new Lingering(ended::add, Duration.ofMillis(1)).end(DONE);
    assertThat(ended).containsExactly(DONE);
  }

  @Test
  void clusterThatIsShutDownBeforeItsEndIsCancelled() {
    Lingering lingering = new Lingering(ended::add, Duration.ofHours(1));
    lingering.shutDown();
    assertThat(ended).containsExactly(ApplicationEnding.SHUT_DOWN);
    lingering.end(DONE);
    assertThat(ended).hasSize(2);
  }
}
