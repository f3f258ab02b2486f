package io.millrace.rpc.leader;

import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers who leads a component of a JobManager process. Not fenced: tokens are learned here. */
public interface LeaderDirectoryGateway extends Gateway {
  /** Answers when the leader is another than the known one, or after a while with the same. */
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
