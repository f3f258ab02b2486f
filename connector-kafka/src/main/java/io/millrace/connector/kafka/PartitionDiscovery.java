package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks Kafka for the partitions of a source. The calls block. */
final class PartitionDiscovery {
  private final KafkaSourceSettings settings;
  private final KafkaConnection connection;
  private final Admin admin;

  PartitionDiscovery(KafkaSourceSettings settings) {
    this.settings = settings;
    this.connection = settings.connection();
    this.admin = connection.admin();
  }

  /**
   * The splits of partitions that are not known.
   *
   * @param known empty for the first discovery of a job without state
   */
  List<KafkaPartitionSplit> newSplits(Optional<Set<TopicPartition>> known)
      throws InterruptedException {
    List<TopicPartition> added = partitions();
    known.ifPresent(added::removeAll);
    added.sort(
        Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
    OffsetResolution offsets = new OffsetResolution(connection, admin, settings.isolation());
    return known.isPresent()
        ? offsets.fromEarliest(added)
        : offsets.initial(added, settings.starting(), settings.stopping(), settings.group());
  }

  private List<TopicPartition> partitions() throws InterruptedException {
    Set<String> topics = new TreeSet<>(settings.topics().names());
    if (settings.topics().isPattern()) {
      connection
          .await(
              admin.listTopics(new ListTopicsOptions().listInternal(false)).names(),
              "The topics of Kafka")
          .stream()
          .filter(settings.topics()::matches)
          .forEach(topics::add);
    }
    List<TopicPartition> partitions = new ArrayList<>();
    Map<String, KafkaFuture<TopicDescription>> descriptions =
        admin.describeTopics(topics).topicNameValues();
    for (String topic : topics) {
      TopicDescription description;
      try {
        description =
            connection.await(descriptions.get(topic), "The partitions of topic '" + topic + "'");
      } catch (UnknownTopicOrPartitionException e) {
        if (settings.topics().isPattern()) {
          // Deleted since the list was made.
          continue;
        }
        throw new MillraceException(
            ErrorKind.USER,
            "Topic '"
                + topic
                + "' does not exist on Kafka at "
                + connection.servers()
                + ". Create it, or correct the name of the topic or the address of Kafka.",
            e);
      } catch (TopicAuthorizationException e) {
        throw new MillraceException(
            ErrorKind.USER,
            "The user of Kafka's client may not read topic '"
                + topic
                + "' on Kafka at "
                + connection.servers()
                + ". Allow it to describe and read the topic.",
            e);
      }
      description
          .partitions()
          .forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
    }
    return partitions;
  }

  void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
