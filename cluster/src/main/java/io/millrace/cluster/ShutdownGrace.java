package io.millrace.cluster;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process whose application has ended and which somebody may want to ask how that
 * went: it stays for a while, or until a client that has all it wants shuts the cluster down.
 */
final class ShutdownGrace {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownGrace.class);

  private final Consumer<ApplicationOutcome> process;
  private final Duration longest;
  private final AtomicReference<ApplicationOutcome> known =
      new AtomicReference<>(ApplicationOutcome.SHUT_DOWN);
  private final CountDownLatch dismissed = new CountDownLatch(1);

  /**
   * @param process ends with what it is told first
   * @param longest how long it stays at most; zero where nobody waits for the application's end
   */
  ShutdownGrace(Consumer<ApplicationOutcome> process, Duration longest) {
    this.process = process;
    this.longest = longest;
  }

  /** A client has shut the cluster down: with the outcome, if there is one by now. */
  void shutDown() {
    dismissed.countDown();
    process.accept(known.get());
  }

  /** Whether the application has ended, and clients may ask. */
  boolean isWaiting() {
    return !known.get().equals(ApplicationOutcome.SHUT_DOWN) && dismissed.getCount() > 0;
  }

  /** The application has ended. Waits, and then ends the process. */
  void end(ApplicationOutcome ending) {
    if (!longest.isZero() && known.compareAndSet(ApplicationOutcome.SHUT_DOWN, ending)) {
      LOG.info("The application has ended ({}); clients have {} to ask", ending.code(), longest);
      try {
        if (!dismissed.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.info("Nobody has dismissed this process, which ends now");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    process.accept(ending);
  }
}
