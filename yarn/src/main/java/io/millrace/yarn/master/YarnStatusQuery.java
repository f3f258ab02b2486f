package io.millrace.yarn.master;

import io.millrace.core.error.Failure;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.YarnClusterMetrics;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
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

  private static final int CONNECT_MILLIS = 10_000;
  private static final int RETRY_MILLIS = 1_000;

  private static final int MAX_CAUSE = 200;

  /** A list of nodes is used again for this time for each of them. */
  private static final long MILLIS_PER_NODE = 100;

  private final ApplicationMasterContext yarn;
  private final Requests application;
  private final Supplier<YarnClient> connect;
  private final LongSupplier wallMillis;
  private Optional<YarnClient> client = Optional.empty();
  private boolean refused;
  private boolean asking;
  private boolean closed;
  private Optional<Answer> last = Optional.empty();
  private Optional<String> nodeUsage = Optional.empty();
  private int listedNodes;
  private long nodesUntil = Long.MIN_VALUE;

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

  /**
   * What the requests of the application are for.
   *
   * @param label of the nodes; empty for nodes without a label
   */
  record Requests(String queue, Optional<String> label) {
    Requests {
      Objects.requireNonNull(queue);
      Objects.requireNonNull(label);
    }
  }

  /**
   * @param connect creates a client that is started
   */
  YarnStatusQuery(
      ApplicationMasterContext yarn,
      Requests application,
      Supplier<YarnClient> connect,
      LongSupplier wallMillis) {
    this.yarn = yarn;
    this.application = application;
    this.connect = connect;
    this.wallMillis = wallMillis;
  }

  /** A client that gives up soon: the next query tries again. */
  static YarnClient connect(Configuration hadoop) {
    YarnConfiguration bounded = new YarnConfiguration(hadoop);
    bounded.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, CONNECT_MILLIS);
    bounded.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, RETRY_MILLIS);
    bounded.setInt("ipc.client.connect.max.retries", 0);
    bounded.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    YarnClient made = YarnClient.createYarnClient();
    made.init(bounded);
    made.start();
    return made;
  }

  /** The latest answer of YARN with its age, or why there is none. May block. */
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
      LOG.info("The status of YARN is not available: {}", e.toString());
      // A secured cluster may refuse the query to every ApplicationMaster.
      refused = isRefusal(e);
      return Optional.of(
          last.map(answer -> answer.sentence(false))
              .orElseGet(
                  () ->
                      "its queue is '"
                          + application.queue()
                          + "'; YARN does not tell more: "
                          + brief(e)));
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

  /** The message of a remote exception contains its stack trace. */
  private static String brief(Throwable thrown) {
    String line = Failure.sentence(Failure.unwrap(thrown)).lines().findFirst().orElse("").strip();
    String bounded = line.length() <= MAX_CAUSE ? line : line.substring(0, MAX_CAUSE) + "…";
    return bounded.endsWith(".") ? bounded.substring(0, bounded.length() - 1) : bounded;
  }

  /** One of several questions. The others are asked also if it has no answer. */
  private interface Question {
    Optional<String> ask() throws YarnException, IOException;
  }

  private String words() throws YarnException, IOException {
    YarnClient connected = client();
    List<String> words = new ArrayList<>();
    List<Exception> failures = new ArrayList<>();
    int questions = 0;
    for (Map.Entry<String, Question> question : questions(connected).entrySet()) {
      questions++;
      try {
        question.getValue().ask().ifPresent(words::add);
      } catch (YarnException | IOException e) {
        LOG.debug("YARN does not tell {}", question.getKey(), e);
        failures.add(e);
        words.add(question.getKey() + " is not known: " + brief(e));
      }
    }
    if (failures.size() == questions) {
      throw new IOException(brief(failures.get(0)), failures.get(0));
    }
    return String.join("; ", words);
  }

  private Map<String, Question> questions(YarnClient connected) {
    Map<String, Question> questions = new LinkedHashMap<>();
    questions.put(
        "the usage of queue '" + application.queue() + "'",
        () -> Optional.of(queueUsage(connected)));
    questions.put(
        "the usage of this application",
        () ->
            Optional.of(
                ApplicationUsage.of(
                        connected.getApplicationReport(
                            ApplicationId.fromString(yarn.application())))
                    .toString()));
    questions.put("the room on the nodes", () -> nodeUsage(connected));
    return questions;
  }

  private String queueUsage(YarnClient connected) throws YarnException, IOException {
    String queue = application.queue();
    return queue(connected)
        .map(
            info ->
                application
                    .label()
                    .map(label -> PartitionUsage.limit(queue, label, info))
                    .orElseGet(() -> QueueUsage.of(queue, info).toString()))
        .orElseGet(() -> "its queue is '" + queue + "'");
  }

  /** The room on the nodes of the application, or the number of nodes if there are many. */
  private Optional<String> nodeUsage(YarnClient connected) throws YarnException, IOException {
    YarnClusterMetrics metrics = connected.getYarnClusterMetrics();
    if (metrics.getNumNodeManagers() > MAX_NODES) {
      return Optional.of(ClusterNodes.of(metrics).toString());
    }
    long now = wallMillis.getAsLong();
    if (now >= nodesUntil || metrics.getNumNodeManagers() != listedNodes) {
      nodeUsage = usage(connected.getNodeReports(NodeState.RUNNING));
      listedNodes = metrics.getNumNodeManagers();
      nodesUntil = now + listedNodes * MILLIS_PER_NODE;
    }
    return nodeUsage;
  }

  private Optional<String> usage(List<NodeReport> running) {
    List<NodeReport> nodes = PartitionUsage.nodes(running, application.label());
    Optional<String> freest = LargestFreeNode.of(nodes).map(LargestFreeNode::toString);
    return application
        .label()
        .map(label -> PartitionUsage.of(label, nodes) + freest.map(free -> "; " + free).orElse(""))
        .or(() -> freest);
  }

  /** From the list of its parent: a query by name returns all applications of the queue, too. */
  private Optional<QueueInfo> queue(YarnClient connected) throws YarnException, IOException {
    String queue = application.queue();
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
      client = Optional.of(connect.get());
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
