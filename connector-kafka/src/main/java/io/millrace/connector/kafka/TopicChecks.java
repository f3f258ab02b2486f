package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Looks for the topic of a sink when it starts: a producer would wait for it for a minute. */
final class TopicChecks {
  private static final String CREATION = "auto.create.topics.enable";

  private TopicChecks() {}

  static void requireExisting(KafkaConnection connection, KafkaRecordSerializer<?> records)
      throws InterruptedException {
    if (!(records instanceof KafkaRecords<?> known) || known.onlyTopic() == null) {
      return;
    }
    String topic = known.onlyTopic();
    Admin admin = connection.admin();
    try {
      connection.await(
          admin.describeTopics(List.of(topic)).allTopicNames(), "Topic '" + topic + "'");
    } catch (UnknownTopicOrPartitionException e) {
      if (!createsTopics(connection, admin)) {
        throw missing(connection, topic, e);
      }
    } catch (AuthorizationException e) {
      // A producer may be allowed to write without being allowed to look.
      return;
    } finally {
      admin.close(Duration.ofSeconds(1));
    }
  }

  private static boolean createsTopics(KafkaConnection connection, Admin admin)
      throws InterruptedException {
    try {
      Collection<Node> nodes =
          connection.await(admin.describeCluster().nodes(), "The brokers of Kafka");
      ConfigResource broker =
          new ConfigResource(ConfigResource.Type.BROKER, nodes.iterator().next().idString());
      Map<ConfigResource, Config> configs =
          connection.await(
              admin.describeConfigs(List.of(broker)).all(), "The configuration of a broker");
      ConfigEntry entry = configs.get(broker).get(CREATION);
      return entry == null || Boolean.parseBoolean(entry.value());
    } catch (AuthorizationException e) {
      // Not known: the producer finds out.
      return true;
    }
  }

  static MillraceException missing(KafkaConnection connection, String topic, Throwable cause) {
    return new MillraceException(
        ErrorKind.USER,
        "Topic '"
            + topic
            + "' does not exist on Kafka at "
            + connection.servers()
            + ", which does not create topics by itself. Create it, or correct the name of the"
            + " topic or the address of Kafka.",
        cause);
  }
}
