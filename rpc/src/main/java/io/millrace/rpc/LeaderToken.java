package io.millrace.rpc;

import io.millrace.core.id.Id128;
import java.util.Objects;

/**
 * Fencing token of a leader: a term that only grows and a random id. A fenced endpoint executes
 * only calls that carry its own token.
 */
public record LeaderToken(long term, Id128 session) {
  public LeaderToken {
    Objects.requireNonNull(session);
  }

  @Override
  public String toString() {
    return term + ":" + session;
  }
}
