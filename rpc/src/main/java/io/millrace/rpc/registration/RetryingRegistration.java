package io.millrace.rpc.registration;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import java.time.Duration;
import java.util.Optional;
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
 * @param <S> description a successful registration returns
 */
public final class RetryingRegistration<S extends Record> {
  private static final Logger LOG = LoggerFactory.getLogger(RetryingRegistration.class);

  /** The result of an attempt. */
  public sealed interface Answer<S extends Record> {
    record Accepted<S extends Record>(S success) implements Answer<S> {}

    /** Temporary: try again later. */
    record Refused<S extends Record>(String reason) implements Answer<S> {}

    /** Permanent: do not try again. */
    record Rejected<S extends Record>(String reason) implements Answer<S> {}

    /** The result that a reply message describes. */
    static <S extends Record> Answer<S> of(
        RegistrationStatus status, String reason, Optional<S> success) {
      return switch (status) {
        case ACCEPTED -> new Accepted<>(success.orElseThrow());
        case REFUSED -> new Refused<>(reason);
        case REJECTED -> new Rejected<>(reason);
      };
    }
  }

  private final Mailbox mailbox;
  private final RegistrationSettings settings;
  private final String description;
  private final Function<Duration, CompletableFuture<Answer<S>>> attempt;
  private final Consumer<S> accepted;
  private final Consumer<String> rejected;
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
      Function<Duration, CompletableFuture<Answer<S>>> attempt,
      Consumer<S> accepted,
      Consumer<String> rejected) {
    this.mailbox = mailbox;
    this.settings = settings;
    this.description = description;
    this.attempt = attempt;
    this.accepted = accepted;
    this.rejected = rejected;
  }

  public RetryingRegistration<S> start() {
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
              } else if (answer instanceof Answer.Accepted<S> success) {
                ended = true;
                accepted.accept(success.success());
              } else if (answer instanceof Answer.Refused<S> refusal) {
                LOG.info("{}: refused: {}", description, refusal.reason());
                pause = mailbox.after(settings.refusedDelay(), () -> run(timeout));
              } else if (answer instanceof Answer.Rejected<S> rejection) {
                ended = true;
                rejected.accept(rejection.reason());
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
          failure.getMessage());
      pause = mailbox.after(settings.errorDelay(), () -> run(settings.initialTimeout()));
    }
  }
}
