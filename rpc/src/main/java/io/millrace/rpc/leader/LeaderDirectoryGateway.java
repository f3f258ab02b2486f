package io.millrace.rpc.leader;

import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Returns the leader of a component of a JobManager process. Not fenced, because callers learn
 * tokens here.
 */
public interface LeaderDirectoryGateway extends Gateway {
  /** Answers when the leader differs from the known one, or after a delay with the same leader. */
  CompletableFuture<LeaderAnswer> awaitLeader(AwaitLeader question);

  record AwaitLeader(String component, Optional<LeaderToken> known) {
    public AwaitLeader {
      Objects.requireNonNull(component);
      Objects.requireNonNull(known);
    }
  }

  record LeaderAnswer(Optional<Leader> leader) {
    public LeaderAnswer {
      Objects.requireNonNull(leader);
    }
  }
}
