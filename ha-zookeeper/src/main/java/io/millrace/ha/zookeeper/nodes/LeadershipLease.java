package io.millrace.ha.zookeeper.nodes;

import java.time.Duration;

/**
 * Decides whether a process leads. It leads while it holds the latch and its last successful
 * contact with ZooKeeper is so recent that its session cannot have ended: ZooKeeper ends a session
 * not before the session time-out has passed since the contact, and the process gives up a fifth of
 * that time earlier. A suspended connection alone therefore costs nothing, and a process that is
 * cut off stops to lead before another one can begin. Times are those of a monotonic clock, in
 * nanoseconds.
 *
 * <pre>
 * state       event                                      next state
 * waiting     the latch is held and a contact is recent  leading
 * leading     the latch is lost                          waiting
 * leading     the last contact is too old                waiting
 * </pre>
 */
final class LeadershipLease {
  /** What a process has to do after an event. */
  enum Change {
    NONE,
    BEGIN,
    END
  }

  private boolean holdsLatch;
  private boolean contacted;
  private long deadline;
  private boolean leading;

  boolean holdsLatch() {
    return holdsLatch;
  }

  /** The process has got the latch. Only contacts from now on count. */
  Change latchAcquired(long now) {
    holdsLatch = true;
    return decide(now);
  }

  Change latchLost(long now) {
    holdsLatch = false;
    contacted = false;
    return decide(now);
  }

  /**
   * ZooKeeper has answered a request of the session that holds the latch.
   *
   * @param sentAt when the request was sent: it may have arrived at any time since
   */
  Change contact(long sentAt, Duration sessionTimeout, long now) {
    long valid = sentAt + sessionTimeout.toNanos() / 5 * 4;
    if (holdsLatch && (!contacted || valid - deadline > 0)) {
      contacted = true;
      deadline = valid;
    }
    return decide(now);
  }

  /** Time has passed. */
  Change tick(long now) {
    return decide(now);
  }

  /** How long the process leads without another contact. */
  Duration remaining(long now) {
    return leading ? Duration.ofNanos(Math.max(0, deadline - now)) : Duration.ZERO;
  }

  private Change decide(long now) {
    boolean before = leading;
    leading = holdsLatch && contacted && deadline - now > 0;
    if (leading == before) {
      return Change.NONE;
    }
    return leading ? Change.BEGIN : Change.END;
  }
}
