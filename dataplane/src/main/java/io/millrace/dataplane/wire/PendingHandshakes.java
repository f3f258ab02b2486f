package io.millrace.dataplane.wire;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The handshakes that are not complete. Their number is bounded: a new one replaces the oldest, so
 * that connections which send nothing cannot keep a TaskManager out.
 */
final class PendingHandshakes {
  static final int MOST = 64;

  /** In order of arrival. */
  private final Set<ServerHandshake> waiting = new LinkedHashSet<>();

  /** Adds a handshake; returns the one that it replaces. */
  synchronized Optional<ServerHandshake> add(ServerHandshake handshake) {
    waiting.add(handshake);
    if (waiting.size() <= MOST) {
      return Optional.empty();
    }
    ServerHandshake oldest = waiting.iterator().next();
    waiting.remove(oldest);
    return Optional.of(oldest);
  }

  synchronized void remove(ServerHandshake handshake) {
    waiting.remove(handshake);
  }
}
