package io.millrace.yarn.master;

import io.millrace.yarn.master.Requests.Asked;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why containers do not come, as far as YARN tells: once they are late, and then now and then
 * as long as they are. The queue is asked about in a thread of its own, which nobody waits for.
 */
final class Waits {
  private static final Logger LOG = LoggerFactory.getLogger(Waits.class);

  /** What comes within this needs no explanation. */
  private static final Duration LATE = Duration.ofSeconds(2);

  /** Every change goes to all jobs that wait and into their history. */
  private static final Duration AGAIN = Duration.ofSeconds(10);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  private final Yarn yarn;
  private final String queue;
  private final Consumer<String> told;
  private final ExecutorService thread;
  private Optional<YarnClient> client = Optional.empty();
  private boolean unanswerable;
  private Optional<Instant> asked = Optional.empty();

  /**
   * What is waited for.
   *
   * @param sizes how many containers of which size
   * @param largest that YARN gives
   * @param left what it has left for the application now
   */
  record Picture(
      Map<ContainerSize, Integer> sizes, Instant since, ContainerSize largest, ContainerSize left) {
    String sentence(Optional<QueueState> state, String queue) {
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
          + TIME.format(since)
          + "; "
          + state.map(QueueState::toString).orElseGet(() -> "its queue is '" + queue + "'")
          + "; left for this application now: "
          + left
          + "; the largest container that can be asked for: "
          + largest
          + ".";
    }
  }

  /**
   * @param told what to say from now on, empty for nothing; from any thread
   */
  Waits(Yarn yarn, String queue, Consumer<String> told) {
    this.yarn = yarn;
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
  void look(Requests requests, ContainerSize largest, Resource left) {
    Instant now = Instant.now();
    if (requests.isEmpty()) {
      if (asked.isPresent()) {
        asked = Optional.empty();
        thread.execute(() -> told.accept(""));
      }
      return;
    }
    Instant since = Instant.ofEpochMilli(requests.since().orElseThrow());
    if (since.plus(LATE).isAfter(now)
        || asked.filter(last -> last.plus(AGAIN).isAfter(now)).isPresent()) {
      return;
    }
    asked = Optional.of(now);
    Map<ContainerSize, Integer> sizes = new LinkedHashMap<>();
    for (Asked one : requests.pending()) {
      sizes.merge(one.size(), 1, Integer::sum);
    }
    Picture picture =
        new Picture(
            sizes,
            since,
            largest,
            left == null ? new ContainerSize(0, 0, Map.of()) : ContainerSize.of(left));
    thread.execute(() -> told.accept(picture.sentence(state(), queue)));
  }

  /** A secured cluster may not let a master ask; then there is less to say. */
  private Optional<QueueState> state() {
    if (unanswerable) {
      return Optional.empty();
    }
    try {
      if (client.isEmpty()) {
        YarnClient made = YarnClient.createYarnClient();
        made.init(yarn.hadoop());
        made.start();
        client = Optional.of(made);
      }
      return yarn.as(this::ask);
    } catch (IOException | RuntimeException e) {
      LOG.info("Queue '{}' cannot be asked about: {}", queue, e.toString());
      unanswerable = true;
      return Optional.empty();
    }
  }

  private Optional<QueueState> ask() throws YarnException, IOException {
    QueueInfo info = client.orElseThrow().getQueueInfo(queue);
    if (info == null) {
      return Optional.empty();
    }
    QueueStatistics statistics = info.getQueueStatistics();
    return Optional.of(
        new QueueState(
            queue,
            statistics.getAllocatedMemoryMB(),
            statistics.getAllocatedVCores(),
            info.getCurrentCapacity(),
            info.getMaximumCapacity()));
  }

  /** What is under way is let go; threads of the library end with their client. */
  void close() {
    thread.execute(() -> client.ifPresent(YarnClient::stop));
    thread.shutdown();
  }
}
