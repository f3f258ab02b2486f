package io.millrace.yarn.master;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks YARN how queue, application and nodes stand, when somebody wants to know. In one thread,
 * which a YARN that does not answer may hold up.
 */
final class YarnStatusQuery {
  private static final Logger LOG = LoggerFactory.getLogger(YarnStatusQuery.class);

  static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  /** A list of more nodes is no longer a small question. */
  private static final int MOST_NODES = 500;

  private final ApplicationMasterContext yarn;
  private final String queue;
  private Optional<YarnClient> client = Optional.empty();
  private boolean refused;
  private Optional<Answer> last = Optional.empty();

  /**
   * What YARN said.
   *
   * @param since when it first said just this
   * @param until when it last did
   */
  record Answer(String words, Instant since, Instant until) {
    /** The answer with its age. */
    String told(boolean isCurrent) {
      return (isCurrent
              ? "YARN's answer since " + TIME.format(since)
              : "YARN does not answer now; its last answer, of " + TIME.format(until))
          + ": "
          + words;
    }
  }

  YarnStatusQuery(ApplicationMasterContext yarn, String queue) {
    this.yarn = yarn;
    this.queue = queue;
  }

  /** What YARN says, or said last, with its age; nothing where it never answered. */
  Optional<String> ask() {
    if (refused) {
      return Optional.empty();
    }
    try {
      String words = yarn.as(this::words);
      Instant now = Instant.now();
      Instant since =
          last.filter(before -> before.words().equals(words)).map(Answer::since).orElse(now);
      last = Optional.of(new Answer(words, since, now));
      return last.map(answer -> answer.told(true));
    } catch (IOException | RuntimeException e) {
      LOG.info("Queue '{}' cannot be asked about: {}", queue, e.toString());
      // A secured cluster may not let a master ask, now or ever; then there is less to say.
      refused = last.isEmpty() || isRefusal(e);
      return last.map(answer -> answer.told(false));
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
    YarnClient asked = client();
    StringBuilder words = new StringBuilder();
    words.append(
        queue(asked)
            .map(info -> QueueUsage.of(queue, info).toString())
            .orElseGet(() -> "its queue is '" + queue + "'"));
    words
        .append("; ")
        .append(
            ApplicationUsage.of(
                asked.getApplicationReport(ApplicationId.fromString(yarn.application()))));
    if (asked.getYarnClusterMetrics().getNumNodeManagers() <= MOST_NODES) {
      LargestFreeNode.of(asked.getNodeReports(NodeState.RUNNING))
          .ifPresent(node -> words.append("; ").append(node));
    }
    return words.toString();
  }

  /** By its parent's list: asked for by its name it would bring all its applications along. */
  private Optional<QueueInfo> queue(YarnClient asked) throws YarnException, IOException {
    int end = queue.lastIndexOf('.');
    if (end < 0) {
      return Optional.ofNullable(asked.getQueueInfo(queue));
    }
    List<QueueInfo> siblings = asked.getChildQueueInfos(queue.substring(0, end));
    String name = queue.substring(end + 1);
    return siblings.stream()
        .filter(one -> one.getQueueName().equals(name) || one.getQueueName().equals(queue))
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

  void close() {
    client.ifPresent(YarnClient::stop);
  }
}
