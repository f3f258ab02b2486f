package io.millrace.client;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Repeats a request to a cluster that answered before and does not answer now: its JobManager may
 * be restarting with the same jobs. For use by one thread.
 */
final class ClusterReconnect {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final ClusterClient cluster;
  private final JobListener listener;
  private Optional<Long> unreachableSince = Optional.empty();

  ClusterReconnect(ClusterClient cluster, JobListener listener) {
    this.cluster = cluster;
    this.listener = listener;
  }

  /**
   * Returns the answer of the first successful attempt; throws the last error if the cluster is
   * unreachable for longer than its reconnect timeout.
   */
  <T> T call(Supplier<T> request) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        T answer = request.get();
        if (unreachableSince.isPresent()) {
          unreachableSince = Optional.empty();
          listener.reachable(cluster.address());
        }
        return answer;
      } catch (UnreachableException e) {
        checkTimeout(e);
      }
      sleep(pause);
      Duration next = pause.multipliedBy(2);
      pause = next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
    }
  }

  private void checkTimeout(UnreachableException e) {
    Duration timeout = cluster.reconnectTimeout();
    if (timeout.isZero()) {
      throw e;
    }
    if (unreachableSince.isEmpty()) {
      unreachableSince = Optional.of(System.nanoTime());
      listener.unreachable(cluster.address(), timeout);
    } else if (System.nanoTime() - unreachableSince.get() > timeout.toNanos()) {
      throw e;
    }
  }

  private static void sleep(Duration pause) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.USER,
          "The wait for the JobManager to answer again was interrupted. The job continues on the"
              + " cluster.",
          e);
    }
  }
}
