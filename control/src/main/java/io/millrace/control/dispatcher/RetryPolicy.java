package io.millrace.control.dispatcher;

import io.millrace.core.fs.FileDescriptors;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Patience with what may work a moment later, and without end with a lack of file descriptors,
 * which passes. Lives in one mailbox, in which steps complete.
 */
final class RetryPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(RetryPolicy.class);
  private static final int TRIES = 6;
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final Mailbox mailbox;

  /** Whether another attempt may be made. */
  private final BooleanSupplier going;

  RetryPolicy(Mailbox mailbox, BooleanSupplier going) {
    this.mailbox = mailbox;
    this.going = going;
  }

  /**
   * @param what the beginning of a sentence about it
   */
  <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    attempt(what, step, 1, done);
    return done;
  }

  private <T> void attempt(
      String what, Supplier<CompletableFuture<T>> step, int number, CompletableFuture<T> done) {
    step.get()
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                done.complete(value);
              } else if ((number < TRIES || FileDescriptors.areExhausted(failure))
                  && going.getAsBoolean()) {
                LOG.info("{} did not work and is tried again: {}", what, failure.getMessage());
                mailbox.after(
                    PAUSE.multipliedBy(Math.min(number, TRIES)),
                    () -> attempt(what, step, number + 1, done));
              } else {
                done.completeExceptionally(failure);
              }
            });
  }
}
