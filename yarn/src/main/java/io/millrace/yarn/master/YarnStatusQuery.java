package io.millrace.yarn.master;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks YARN for the status of queue, application and nodes. One query runs at a time. */
final class YarnStatusQuery {
  private static final Logger LOG = LoggerFactory.getLogger(YarnStatusQuery.class);

  static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  /** A list of more nodes would burden the ResourceManager. */
  private static final int MAX_NODES = 500;

  private final ApplicationMasterContext yarn;
  private final String queue;
  private final LongSupplier wallMillis;
  private Optional<YarnClient> client = Optional.empty();
  private boolean refused;
  private boolean asking;
  private boolean closed;
  private Optional<Answer> last = Optional.empty();

  /**
   * An answer of YARN.
   *
   * @param since the time of the first answer with these words
   * @param until the time of the latest answer with these words
   */
  record Answer(String words, Instant since, Instant until) {
    /** The answer with its age. */
    String sentence(boolean isCurrent) {
      return (isCurrent
              ? "YARN's answer since " + TIME.format(since)
              : "YARN does not answer now; its last answer, of " + TIME.format(until))
          + ": "
          + words;
    }
  }

  YarnStatusQuery(ApplicationMasterContext yarn, String queue, LongSupplier wallMillis) {
    this.yarn = yarn;
    this.queue = queue;
    this.wallMillis = wallMillis;
  }

  /** The latest answer of YARN with its age; empty if YARN has never answered. May block. */
  Optional<String> ask() {
    if (refused || !begin()) {
      return Optional.empty();
    }
    try {
      return latest();
    } finally {
      end();
    }
  }

  private synchronized boolean begin() {
    asking = !closed;
    return asking;
  }

  private synchronized void end() {
    asking = false;
    if (closed) {
      client.ifPresent(YarnClient::stop);
    }
  }

  private Optional<String> latest() {
    try {
      String words = yarn.as(this::words);
      Instant now = Instant.ofEpochMilli(wallMillis.getAsLong());
      Instant since =
          last.filter(before -> before.words().equals(words)).map(Answer::since).orElse(now);
      last = Optional.of(new Answer(words, since, now));
      return last.map(answer -> answer.sentence(true));
    } catch (IOException | RuntimeException e) {
      LOG.info("The status of queue '{}' is not available: {}", queue, e.toString());
      // A secured cluster may refuse the query to every ApplicationMaster.
      refused = last.isEmpty() || isRefusal(e);
      return last.map(answer -> answer.sentence(false));
    }
  }

  private static boolean isRefusal(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof AccessControlException || cause instanceof AuthorizationException) {
        return true;
      }
    }
    return false;
  }

  private String words() throws YarnException, IOException {
    YarnClient connected = client();
    StringBuilder words = new StringBuilder();
    words.append(
        queue(connected)
            .map(info -> QueueUsage.of(queue, info).toString())
            .orElseGet(() -> "its queue is '" + queue + "'"));
    words
        .append("; ")
        .append(
            ApplicationUsage.of(
                connected.getApplicationReport(ApplicationId.fromString(yarn.application()))));
    if (connected.getYarnClusterMetrics().getNumNodeManagers() <= MAX_NODES) {
      LargestFreeNode.of(connected.getNodeReports(NodeState.RUNNING))
          .ifPresent(node -> words.append("; ").append(node));
    }
    return words.toString();
  }

  /** From the list of its parent: a query by name returns all applications of the queue, too. */
  private Optional<QueueInfo> queue(YarnClient connected) throws YarnException, IOException {
    int end = queue.lastIndexOf('.');
    if (end < 0) {
      return Optional.ofNullable(connected.getQueueInfo(queue));
    }
    List<QueueInfo> siblings = connected.getChildQueueInfos(queue.substring(0, end));
    String name = queue.substring(end + 1);
    return siblings.stream()
        .filter(info -> info.getQueueName().equals(name) || info.getQueueName().equals(queue))
        .findFirst();
  }

  private YarnClient client() {
    if (client.isEmpty()) {
      YarnClient made = YarnClient.createYarnClient();
      made.init(yarn.hadoop());
      made.start();
      client = Optional.of(made);
    }
    return client.get();
  }

  /** Does not wait for a query that is under way; that closes the client when it ends. */
  synchronized void close() {
    closed = true;
    if (!asking) {
      client.ifPresent(YarnClient::stop);
    }
  }
}
