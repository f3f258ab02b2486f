package io.millrace.rpc.registration;

import io.millrace.core.error.Failure;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers at one leader and retries until the leader accepts or rejects, or until it is cancelled
 * because the leader changed. Lives in the mailbox it is given.
 *
 * <pre>
 * result of an attempt   next step
 * accepted               ends, successful
 * rejected               ends, rejected
 * refused                next attempt after the refused delay
 * no answer in time      next attempt at once, with twice the time-out up to the maximum
 * other failure          next attempt after the error delay, with the initial time-out
 * </pre>
 *
 * @param <S> what a successful registration returns
 * @param <R> why a registration is refused or rejected
 */
public final class RetryingRegistration<S extends Record, R> {
  private static final Logger LOG = LoggerFactory.getLogger(RetryingRegistration.class);

  /** The result of an attempt. */
  public sealed interface Answer<S extends Record, R> {
    record Accepted<S extends Record, R>(S success) implements Answer<S, R> {}

    /** Temporary: try again later. */
    record Refused<S extends Record, R>(R reason) implements Answer<S, R> {}

    /** Permanent: do not try again. */
    record Rejected<S extends Record, R>(R reason) implements Answer<S, R> {}

    /** The result that a reply message describes. */
    static <S extends Record, R> Answer<S, R> of(RegistrationReply<S, R> reply) {
      return switch (reply.verdict()) {
        case ACCEPTED -> new Accepted<>(reply.success().orElseThrow());
        case REFUSED -> new Refused<>(reply.reason().orElseThrow());
        case REJECTED -> new Rejected<>(reply.reason().orElseThrow());
      };
    }
  }

  /**
   * Callbacks of a registration; called in the mailbox.
   *
   * @param refused called before the pause after a refusal
   * @param rejected called once; no further attempt is made
   */
  public record RegistrationCallbacks<S extends Record, R>(
      Consumer<S> accepted, Consumer<R> refused, Consumer<R> rejected) {}

  private final Mailbox mailbox;
  private final RegistrationSettings settings;
  private final String description;
  private final Function<Duration, CompletableFuture<Answer<S, R>>> attempt;
  private final RegistrationCallbacks<S, R> callbacks;
  private Mailbox.Timer pause = () -> {};
  private boolean ended;

  /**
   * @param description follower and leader, for the log
   * @param attempt makes one attempt with the given time-out
   */
  public RetryingRegistration(
      Mailbox mailbox,
      RegistrationSettings settings,
      String description,
      Function<Duration, CompletableFuture<Answer<S, R>>> attempt,
      RegistrationCallbacks<S, R> callbacks) {
    this.mailbox = mailbox;
    this.settings = settings;
    this.description = description;
    this.attempt = attempt;
    this.callbacks = callbacks;
  }

  public RetryingRegistration<S, R> start() {
    mailbox.checkInside();
    run(settings.initialTimeout());
    return this;
  }

  /** Makes no further attempt and ignores the answer to the pending one. */
  public void cancel() {
    mailbox.checkInside();
    ended = true;
    pause.cancel();
  }

  private void run(Duration timeout) {
    if (ended) {
      return;
    }
    attempt
        .apply(timeout)
        .whenComplete(
            (answer, failure) -> {
              if (ended) {
                return;
              }
              if (failure != null) {
                failed(timeout, failure);
              } else if (answer instanceof Answer.Accepted<S, R> success) {
                ended = true;
                callbacks.accepted().accept(success.success());
              } else if (answer instanceof Answer.Refused<S, R> refusal) {
                callbacks.refused().accept(refusal.reason());
                pause = mailbox.after(settings.refusedDelay(), () -> run(timeout));
              } else if (answer instanceof Answer.Rejected<S, R> rejection) {
                ended = true;
                callbacks.rejected().accept(rejection.reason());
              } else {
                throw new IllegalStateException("Unknown answer " + answer);
              }
            });
  }

  private void failed(Duration timeout, Throwable failure) {
    if (RpcException.is(failure, RpcError.Code.TIMEOUT)) {
      Duration doubled = timeout.multipliedBy(2);
      run(doubled.compareTo(settings.maxTimeout()) > 0 ? settings.maxTimeout() : doubled);
    } else {
      LOG.info(
          "{}: failed, next attempt in {}: {}",
          description,
          settings.errorDelay(),
          Failure.sentence(Failure.unwrap(failure)));
      pause = mailbox.after(settings.errorDelay(), () -> run(settings.initialTimeout()));
    }
  }
}
