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
 * A gateway to the current leader of a component. While there is no leader the look-up is retried
 * for a moment, because leadership changes while callers continue. Lives in the given mailbox.
 */
public final class LeaderGateway<G extends Gateway> {
  private static final int MAX_ATTEMPTS = 12;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final Duration MAX_PAUSE = Duration.ofMillis(50);

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

  /** The gateway of the leader; fails if there was no leader in any of the attempts. */
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
    } else if (number == MAX_ATTEMPTS) {
      found.completeExceptionally(
          new MillraceException(
              ErrorKind.RESOURCE,
              "The " + component + " has no leader at the moment. Try again in a few seconds."));
    } else {
      Duration next = pause.multipliedBy(2);
      mailbox.after(
          pause,
          () -> attempt(found, number + 1, next.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : next));
    }
  }
}
