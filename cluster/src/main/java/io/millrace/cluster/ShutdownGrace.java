package io.millrace.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays the end of a process after its application has ended, so that clients can fetch the
 * result. The delay ends early when a client shuts the cluster down.
 *
 * <pre>
 * state          event                             next state
 * RUNNING        the application ends, no grace    ended with its outcome
 * RUNNING        the application ends              WAITING
 * RUNNING        a client shuts the cluster down   SHUTTING_DOWN
 * WAITING        a client shuts the cluster down   ended with the outcome of the application
 * WAITING        the grace is over                 ended with the outcome of the application
 * SHUTTING_DOWN  the application ends              ended with its outcome
 * SHUTTING_DOWN  the patience is over              ended as CANCELED
 * </pre>
 *
 * <p>A client that has the result of a job shuts the cluster down at once, possibly before this
 * process has heard that the job has ended. The patience is for that.
 */
final class ShutdownGrace {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownGrace.class);

  private final Consumer<ApplicationOutcome> end;
  private final Duration grace;
  private final Duration patience;
  private final CompletableFuture<ApplicationOutcome> outcome = new CompletableFuture<>();
  private final CountDownLatch shutDown = new CountDownLatch(1);

  /**
   * @param end ends the process; the first call decides the outcome
   * @param grace the maximum delay; zero if no client waits for the end of the application
   * @param patience how long a client that shuts the cluster down waits for the end of the
   *     application; zero if the application need not end then
   */
  ShutdownGrace(Consumer<ApplicationOutcome> end, Duration grace, Duration patience) {
    this.end = end;
    this.grace = grace;
    this.patience = patience;
  }

  /** A client shuts the cluster down. Does not block. */
  void shutDown() {
    shutDown.countDown();
    if (patience.isZero()) {
      outcome.complete(ApplicationOutcome.SHUT_DOWN);
    }
    outcome
        .completeOnTimeout(ApplicationOutcome.SHUT_DOWN, patience.toMillis(), TimeUnit.MILLISECONDS)
        .thenAccept(end);
  }

  /** Whether the application has ended and the process waits for clients. */
  boolean isWaiting() {
    return outcome.isDone() && shutDown.getCount() > 0;
  }

  /** The application has ended. Waits and then ends the process. */
  void end(ApplicationOutcome ended) {
    if (outcome.complete(ended) && !grace.isZero()) {
      LOG.info(
          "The application has ended ({}); the process waits up to {} for clients",
          ended.code(),
          grace);
      try {
        if (!shutDown.await(grace.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.info("No client has shut the cluster down within {}; the process ends", grace);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    end.accept(ended);
  }
}
