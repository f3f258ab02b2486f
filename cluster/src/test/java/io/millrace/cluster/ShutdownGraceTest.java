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
class ShutdownGraceTest {
  private static final ApplicationOutcome DONE =
      new ApplicationOutcome(ExitCode.SUCCEEDED, "Its job finished.");

  /** Longer than any test. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  private final List<ApplicationOutcome> ended = new ArrayList<>();

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void staysUntilClientShutsDown() throws Exception {
    ShutdownGrace grace = new ShutdownGrace(ended::add, Duration.ofHours(1), PATIENCE);
    CompletableFuture<Void> ending = CompletableFuture.runAsync(() -> grace.end(DONE));
    while (!grace.isWaiting()) {
      assertThat(ending).isNotDone();
      Thread.onSpinWait();
    }
    grace.shutDown();
    ending.get();
    assertThat(ended).first().isEqualTo(DONE);
  }

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void endsAtOnceWithoutGrace() {
    new ShutdownGrace(ended::add, Duration.ZERO, PATIENCE).end(DONE);
    assertThat(ended).containsExactly(DONE);
  }

  @Test
  @Behaviour("C4: a per-job cluster stays for a bounded time for clients that ask for the result")
  void endsAfterGrace() {
    new ShutdownGrace(ended::add, Duration.ofMillis(1), PATIENCE).end(DONE);
    assertThat(ended).containsExactly(DONE);
  }

  @Test
  void shutDownBeforeEndCancelsApplication() {
    ShutdownGrace grace = new ShutdownGrace(ended::add, Duration.ofHours(1), Duration.ZERO);
    grace.shutDown();
    assertThat(ended).containsExactly(ApplicationOutcome.SHUT_DOWN);
    grace.end(DONE);
    assertThat(ended).hasSize(2);
  }

  @Test
  void shutDownCancelsApplicationThatDoesNotEndSoon() throws Exception {
    CompletableFuture<ApplicationOutcome> first = new CompletableFuture<>();
    new ShutdownGrace(first::complete, Duration.ofHours(1), Duration.ofMillis(1)).shutDown();
    assertThat(first.get()).isEqualTo(ApplicationOutcome.SHUT_DOWN);
  }

  @Test
  @Behaviour("B3: a client that knows the result first does not change the outcome")
  void clientThatHearsOfTheEndFirstDoesNotCancelTheApplication() {
    ShutdownGrace grace = new ShutdownGrace(ended::add, Duration.ofHours(1), PATIENCE);
    grace.shutDown();
    assertThat(ended).isEmpty();
    grace.end(DONE);
    assertThat(ended).first().isEqualTo(DONE);
  }
}
