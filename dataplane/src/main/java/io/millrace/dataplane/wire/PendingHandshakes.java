package io.millrace.dataplane.wire;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The connections whose makers have not yet proved that they know the secret. There may be only so
 * many: the oldest gives way to a new one, so that connections which say nothing cannot keep a
 * TaskManager out.
 */
final class PendingHandshakes {
  static final int MOST = 64;

  /** In the order in which they came. */
  private final Set<ServerHandshake> waiting = new LinkedHashSet<>();

  /** Adds one; returns the one that has to go for it. */
  synchronized Optional<ServerHandshake> add(ServerHandshake greeting) {
    waiting.add(greeting);
    if (waiting.size() <= MOST) {
      return Optional.empty();
    }
    ServerHandshake oldest = waiting.iterator().next();
    waiting.remove(oldest);
    return Optional.of(oldest);
  }

  synchronized void remove(ServerHandshake greeting) {
    waiting.remove(greeting);
  }
}
