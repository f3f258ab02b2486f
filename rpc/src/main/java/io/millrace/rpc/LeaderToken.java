package io.millrace.rpc;

import io.millrace.core.id.Id128;
import java.util.Objects;

/**
 * Proof of leadership: a term that only grows and an id drawn for it. A fenced endpoint executes
 * only what carries its own token.
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
