package io.millrace.yarn.master;

import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.Resource;

/**
 * Says why containers do not come, as far as YARN tells: once they are late, and then now and then
 * as long as they are. YARN is asked in a thread of its own, which nobody waits for, and not at all
 * while nothing is waited for.
 */
final class PendingContainerReporter {
  /** What comes within this needs no explanation. */
  private static final Duration LATE = Duration.ofSeconds(2);

  /** Every change goes to all jobs that wait and into their history. */
  private static final Duration AGAIN = Duration.ofSeconds(10);

  /** Who has waited for long is in no hurry to hear more. */
  private static final int SELDOM = 6;

  private final YarnStatusQuery statusQuery;
  private final String queue;
  private final Consumer<Optional<Reason>> told;
  private final ExecutorService thread;
  private Optional<Instant> asked = Optional.empty();

  /**
   * What is waited for.
   *
   * @param sizes how many containers of which size
   * @param largest that YARN gives
   * @param left what it has left for the application now
   */
  record PendingContainers(
      Map<ContainerSize, Integer> sizes, Instant since, ContainerSize largest, ContainerSize left) {
    Reason reason(Optional<String> said, String queue) {
      return new DriverReason("yarn.containers-pending", sentence(said, queue));
    }

    String sentence(Optional<String> said, String queue) {
      int count = sizes.values().stream().mapToInt(one -> one).sum();
      String what =
          sizes.entrySet().stream()
              .map(
                  entry ->
                      entry.getValue()
                          + (entry.getValue() == 1 ? " container" : " containers")
                          + " of "
                          + entry.getKey())
              .collect(Collectors.joining(", "));
      return "YARN was asked for "
          + what
          + " and has not given "
          + (count == 1 ? "it" : "them")
          + " since "
          + YarnStatusQuery.TIME.format(since)
          + "; "
          + said.orElseGet(() -> "its queue is '" + queue + "'")
          + "; left for this application now: "
          + left
          + "; the largest container that can be asked for: "
          + largest
          + ".";
    }
  }

  /**
   * @param told what to say from now on; from any thread
   */
  PendingContainerReporter(
      ApplicationMasterContext yarn, String queue, Consumer<Optional<Reason>> told) {
    this.statusQuery = new YarnStatusQuery(yarn, queue);
    this.queue = queue;
    this.told = told;
    this.thread =
        new ThreadPoolExecutor(
            0,
            1,
            AGAIN.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread made = new Thread(work, "yarn-queue");
              made.setDaemon(true);
              return made;
            },
            new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Looks whether there is something to say; by the driver's thread, and never for long. */
  void check(ContainerRequests requests, ContainerSize largest, Resource left) {
    Instant now = Instant.now();
    if (requests.isEmpty()) {
      if (asked.isPresent()) {
        asked = Optional.empty();
        thread.execute(() -> told.accept(Optional.empty()));
      }
      return;
    }
    Instant since = Instant.ofEpochMilli(requests.since().orElseThrow());
    if (since.plus(LATE).isAfter(now)
        || asked.filter(last -> last.plus(pause(since, now)).isAfter(now)).isPresent()) {
      return;
    }
    asked = Optional.of(now);
    Map<ContainerSize, Integer> sizes = new LinkedHashMap<>();
    for (PendingRequest one : requests.pending()) {
      sizes.merge(one.size(), 1, Integer::sum);
    }
    PendingContainers picture =
        new PendingContainers(
            sizes,
            since,
            largest,
            left == null ? new ContainerSize(0, 0, Map.of()) : ContainerSize.of(left));
    thread.execute(() -> told.accept(Optional.of(picture.reason(statusQuery.ask(), queue))));
  }

  /** How long after a question the next one comes. */
  static Duration pause(Instant since, Instant now) {
    Duration seldom = AGAIN.multipliedBy(SELDOM);
    return Duration.between(since, now).compareTo(seldom.multipliedBy(SELDOM)) < 0 ? AGAIN : seldom;
  }

  /** What is under way is let go; threads of the library end with their client. */
  void close() {
    thread.execute(statusQuery::close);
    thread.shutdown();
  }
}
