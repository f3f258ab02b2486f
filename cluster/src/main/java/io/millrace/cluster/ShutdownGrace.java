package io.millrace.cluster;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays the end of a process after its application has ended, so that clients can fetch the
 * result. The delay ends early when a client shuts the cluster down.
 *
 * <pre>
 * state     event                             next state
 * RUNNING   the application ends, no grace    ended with its outcome
 * RUNNING   the application ends              WAITING
 * RUNNING   a client shuts the cluster down   ended as CANCELED
 * WAITING   a client shuts the cluster down   ended with the outcome of the application
 * WAITING   the grace is over                 ended with the outcome of the application
 * </pre>
 */
final class ShutdownGrace {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownGrace.class);

  private final Consumer<ApplicationOutcome> end;
  private final Duration grace;
  private final AtomicReference<ApplicationOutcome> outcome =
      new AtomicReference<>(ApplicationOutcome.SHUT_DOWN);
  private final CountDownLatch shutDown = new CountDownLatch(1);

  /**
   * @param end ends the process; the first call decides the outcome
   * @param grace the maximum delay; zero if no client waits for the end of the application
   */
  ShutdownGrace(Consumer<ApplicationOutcome> end, Duration grace) {
    this.end = end;
    this.grace = grace;
  }

  /**
   * A client shuts the cluster down. Ends the process with the outcome of the application, if
   * outcome.
   */
  void shutDown() {
    shutDown.countDown();
    end.accept(outcome.get());
  }

  /** Whether the application has ended and the process waits for clients. */
  boolean isWaiting() {
    return !outcome.get().equals(ApplicationOutcome.SHUT_DOWN) && shutDown.getCount() > 0;
  }

  /** The application has ended. Waits and then ends the process. */
  void end(ApplicationOutcome ended) {
    if (!grace.isZero() && outcome.compareAndSet(ApplicationOutcome.SHUT_DOWN, ended)) {
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
