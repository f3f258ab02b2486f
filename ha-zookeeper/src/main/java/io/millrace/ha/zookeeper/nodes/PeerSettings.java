package io.millrace.ha.zookeeper.nodes;

import java.time.Duration;
import java.util.Objects;

/**
 * How a contender notices the end of those before it.
 *
 * @param enabled false to rely on the ends of sessions alone
 * @param refusals how many connections in a row a port refuses before its process counts as dead
 * @param interval the pause between two of them
 */
public record PeerSettings(boolean enabled, int refusals, Duration interval) {
  public PeerSettings {
    Objects.requireNonNull(interval);
    if (refusals < 1) {
      throw new IllegalArgumentException("refusals: " + refusals);
    }
  }
}
