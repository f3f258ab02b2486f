package io.millrace.control.dispatcher;

import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.error.Failure;
import io.millrace.core.fs.FileDescriptors;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries asynchronous steps, a few times or until they succeed. Retries without limit while the
 * process has no file descriptors left, because these become free again. Confined to one mailbox,
 * in which the steps complete.
 */
final class RetryPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(RetryPolicy.class);
  private static final int MAX_ATTEMPTS = 6;
  private static final Duration DELAY = Duration.ofMillis(500);

  /** The longest delay is half a minute. */
  private static final int LONGEST_DELAY = 60;

  private final Mailbox mailbox;

  /** Whether another attempt is allowed. */
  private final BooleanSupplier enabled;

  RetryPolicy(Mailbox mailbox, BooleanSupplier enabled) {
    this.mailbox = mailbox;
    this.enabled = enabled;
  }

  /**
   * @param what names the step in log messages, as the beginning of a sentence
   */
  <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    attempt(what, step, 1, done);
    return done;
  }

  /**
   * Retries a step without limit, with growing delays, unless a later leader has taken over.
   *
   * @param what names the step in log messages, as the beginning of a sentence
   */
  <T> CompletableFuture<T> runUntilDone(String what, Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    attemptUntilDone(what, step, 1, done);
    return done;
  }

  private <T> void attemptUntilDone(
      String what, Supplier<CompletableFuture<T>> step, int number, CompletableFuture<T> done) {
    step.get()
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                done.complete(value);
              } else if (isSuperseded(failure) || !enabled.getAsBoolean()) {
                done.completeExceptionally(failure);
              } else {
                // Further attempts are not logged: the storage may be away for hours.
                if (number == MAX_ATTEMPTS) {
                  LOG.warn("{} failed {} times and is retried", what, number, failure);
                } else if (number < MAX_ATTEMPTS) {
                  LOG.info(
                      "{} failed and is retried: {}",
                      what,
                      Failure.sentence(Failure.unwrap(failure)));
                }
                mailbox.after(
                    DELAY.multipliedBy(Math.min(number, LONGEST_DELAY)),
                    () -> attemptUntilDone(what, step, number + 1, done));
              }
            });
  }

  private static boolean isSuperseded(Throwable failure) {
    return Failure.unwrap(failure) instanceof StaleWriteException stale && stale.isOfLaterTerm();
  }

  private <T> void attempt(
      String what, Supplier<CompletableFuture<T>> step, int number, CompletableFuture<T> done) {
    step.get()
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                done.complete(value);
              } else if ((number < MAX_ATTEMPTS || FileDescriptors.areExhausted(failure))
                  && enabled.getAsBoolean()) {
                LOG.info(
                    "{} failed and is retried: {}",
                    what,
                    Failure.sentence(Failure.unwrap(failure)));
                mailbox.after(
                    DELAY.multipliedBy(Math.min(number, MAX_ATTEMPTS)),
                    () -> attempt(what, step, number + 1, done));
              } else {
                done.completeExceptionally(failure);
              }
            });
  }
}
