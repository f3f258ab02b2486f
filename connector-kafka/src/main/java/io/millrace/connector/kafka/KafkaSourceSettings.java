package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;

/** What a program says of a source. */
final class KafkaSourceSettings implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String READ_COMMITTED = "read_committed";
  private static final String READ_UNCOMMITTED = "read_uncommitted";

  private final KafkaConnection connection;
  private final KafkaTopics topics;

  /** Null for none. */
  private final String group;

  private final StartingOffsets starting;

  /** Null for none. */
  private final StoppingOffsets stopping;

  private final Duration interval;
  private final BadRecords badRecords;

  KafkaSourceSettings(
      KafkaConnection connection,
      KafkaTopics topics,
      String group,
      StartingOffsets starting,
      StoppingOffsets stopping,
      Duration interval,
      BadRecords badRecords) {
    this.connection = connection;
    this.topics = topics;
    this.group = group;
    this.starting = starting;
    this.stopping = stopping;
    this.interval = interval;
    this.badRecords = badRecords;
  }

  KafkaSourceSettings withConnection(KafkaConnection changed) {
    return new KafkaSourceSettings(
        changed, topics, group, starting, stopping, interval, badRecords);
  }

  KafkaSourceSettings withGroup(String changed) {
    return new KafkaSourceSettings(
        connection, topics, changed, starting, stopping, interval, badRecords);
  }

  KafkaSourceSettings withStarting(StartingOffsets changed) {
    return new KafkaSourceSettings(
        connection, topics, group, changed, stopping, interval, badRecords);
  }

  KafkaSourceSettings withStopping(StoppingOffsets changed) {
    return new KafkaSourceSettings(
        connection, topics, group, starting, changed, interval, badRecords);
  }

  KafkaSourceSettings withInterval(Duration changed) {
    return new KafkaSourceSettings(
        connection, topics, group, starting, stopping, changed, badRecords);
  }

  KafkaSourceSettings withBadRecords(BadRecords changed) {
    return new KafkaSourceSettings(
        connection, topics, group, starting, stopping, interval, changed);
  }

  KafkaConnection connection() {
    return connection;
  }

  KafkaTopics topics() {
    return topics;
  }

  Optional<String> group() {
    return Optional.ofNullable(group);
  }

  void requireGroupIfCommitted() {
    if (starting.kind() == StartingOffsets.Kind.COMMITTED && group == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The source of "
              + topics
              + " starts at committed offsets, but has no group. Name one with groupId.");
    }
  }

  StartingOffsets starting() {
    return starting;
  }

  Optional<StoppingOffsets> stopping() {
    return Optional.ofNullable(stopping);
  }

  /** Between two searches for partitions; empty for one search only. */
  Optional<Duration> interval() {
    return stopping != null || interval.isZero() ? Optional.empty() : Optional.of(interval);
  }

  BadRecords badRecords() {
    return badRecords;
  }

  IsolationLevel isolation() {
    String level = connection.property(ConsumerConfig.ISOLATION_LEVEL_CONFIG, READ_COMMITTED);
    return switch (level) {
      case READ_COMMITTED -> IsolationLevel.READ_COMMITTED;
      case READ_UNCOMMITTED -> IsolationLevel.READ_UNCOMMITTED;
      default ->
          throw new MillraceException(
              ErrorKind.USER,
              "The property 'isolation.level' is read_committed or read_uncommitted, not '"
                  + level
                  + "'.");
    };
  }

  Map<String, Object> consumerProperties() {
    Map<String, Object> own = new HashMap<>();
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    // An offset that is gone must not be replaced silently by another one.
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    own.put(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        isolation() == IsolationLevel.READ_COMMITTED ? READ_COMMITTED : READ_UNCOMMITTED);
    group().ifPresent(id -> own.put(ConsumerConfig.GROUP_ID_CONFIG, id));
    return connection.client(own);
  }
}
