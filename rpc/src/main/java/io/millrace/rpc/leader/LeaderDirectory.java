package io.millrace.rpc.leader;

import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Serves the {@link LeaderRetrieval} of a process to other processes, under a well-known name. */
public final class LeaderDirectory extends Endpoint implements LeaderDirectoryGateway {
  public static final String NAME = "leaders";

  /**
   * How long an unchanged answer is delayed (long polling). The time-out of callers is a little
   * longer.
   */
  static final Duration HOLD = Duration.ofSeconds(20);

  private final LeaderRetrieval leaders;

  public LeaderDirectory(Rpc rpc, LeaderRetrieval leaders) {
    super(rpc, NAME, Optional.empty());
    this.leaders = leaders;
  }

  @Override
  public CompletableFuture<LeaderAnswer> awaitLeader(AwaitLeader question) {
    CompletableFuture<LeaderAnswer> answer = new CompletableFuture<>();
    AtomicReference<Optional<Leader>> current = new AtomicReference<>(Optional.empty());
    Subscription following =
        leaders.follow(
            question.component(),
            mailbox,
            leader -> {
              current.set(leader);
              if (!leader.map(Leader::token).equals(question.known())) {
                answer.complete(new LeaderAnswer(leader));
              }
            });
    Mailbox.Timer hold =
        mailbox.after(HOLD, () -> answer.complete(new LeaderAnswer(current.get())));
    answer.whenComplete(
        (leader, failure) -> {
          following.cancel();
          hold.cancel();
        });
    return answer;
  }
}
