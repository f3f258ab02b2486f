package io.millrace.rpc.leader;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A gateway to whoever leads a component now. A look-up that finds no leader is tried again for a
 * moment, because leaders change places while others go on asking. Lives in the given mailbox.
 */
public final class LeaderGateway<G extends Gateway> {
  private static final int TRIES = 12;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final Rpc rpc;
  private final Class<G> type;
  private final String component;
  private final Mailbox mailbox;
  private final Subscription following;
  private Optional<Leader> leader = Optional.empty();

  public LeaderGateway(
      Rpc rpc, LeaderRetrieval leaders, Class<G> type, String component, Mailbox mailbox) {
    this.rpc = rpc;
    this.type = type;
    this.component = component;
    this.mailbox = mailbox;
    this.following = leaders.follow(component, mailbox, now -> leader = now);
  }

  /** The leader's gateway; fails where nobody led during all tries. */
  public CompletableFuture<G> find() {
    CompletableFuture<G> found = new CompletableFuture<>();
    mailbox.post(() -> attempt(found, 1, FIRST_PAUSE));
    return found;
  }

  public void close() {
    following.cancel();
  }

  private void attempt(CompletableFuture<G> found, int number, Duration pause) {
    if (leader.isPresent()) {
      found.complete(
          rpc.gateway(type, leader.get().address(), Optional.of(leader.get().token()), mailbox));
    } else if (number == TRIES) {
      found.completeExceptionally(
          new MillraceException(
              ErrorKind.RESOURCE,
              "The " + component + " has no leader at the moment. Try again in a few seconds."));
    } else {
      Duration next = pause.multipliedBy(2);
      mailbox.after(
          pause,
          () ->
              attempt(found, number + 1, next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next));
    }
  }
}
