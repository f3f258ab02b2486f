package io.millrace.client;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Goes on asking a cluster that was there and does not answer: its JobManager may have been killed
 * and be started again, with the same jobs. For use by one thread.
 */
final class ClusterReconnect {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final ClusterClient cluster;
  private final JobListener listener;
  private Optional<Long> began = Optional.empty();

  ClusterReconnect(ClusterClient cluster, JobListener listener) {
    this.cluster = cluster;
    this.listener = listener;
  }

  /** The answer, also where it comes late; the last error where it does not come in time. */
  <T> T call(Supplier<T> question) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        T answer = question.get();
        if (began.isPresent()) {
          began = Optional.empty();
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
    Duration patience = cluster.reconnectTimeout();
    if (patience.isZero()) {
      throw e;
    }
    if (began.isEmpty()) {
      began = Optional.of(System.nanoTime());
      listener.unreachable(cluster.address(), patience);
    } else if (System.nanoTime() - began.get() > patience.toNanos()) {
      throw e;
    }
  }

  private static void sleep(Duration pause) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.USER, "Interrupted while waiting for the JobManager to come back.", e);
    }
  }
}
