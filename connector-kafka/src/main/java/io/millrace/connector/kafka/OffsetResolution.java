package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Turns starting and stopping offsets into numbers, once per partition, so that a restart does not
 * move them.
 */
final class OffsetResolution {
  private final KafkaConnection connection;
  private final Admin admin;
  private final IsolationLevel isolation;

  OffsetResolution(KafkaConnection connection, Admin admin, IsolationLevel isolation) {
    this.connection = connection;
    this.admin = admin;
    this.isolation = isolation;
  }

  /** Splits of partitions that appeared while the job runs: all their records are new. */
  List<KafkaPartitionSplit> fromEarliest(Collection<TopicPartition> partitions)
      throws InterruptedException {
    return splits(partitions, offsets(partitions, OffsetSpec.earliest()), Map.of());
  }

  /** Splits of the partitions with which the source starts. */
  List<KafkaPartitionSplit> initial(
      Collection<TopicPartition> partitions,
      StartingOffsets starting,
      Optional<StoppingOffsets> stopping,
      Optional<String> group)
      throws InterruptedException {
    // The end first: records that come in between are behind it, and not between start and end.
    Map<TopicPartition, Long> stop =
        stopping.isPresent() ? stops(partitions, stopping.get()) : Map.of();
    return splits(partitions, starts(partitions, starting, group), stop);
  }

  private Map<TopicPartition, Long> starts(
      Collection<TopicPartition> partitions, StartingOffsets starting, Optional<String> group)
      throws InterruptedException {
    return switch (starting.kind()) {
      case RESET -> reset(partitions, starting.reset(), "");
      case TIMESTAMP -> atTimestamp(partitions, starting.timestamp());
      case GIVEN ->
          known(partitions, starting.given(), starting.reset(), "the program gives no offset");
      case COMMITTED ->
          known(
              partitions,
              committed(partitions, group.orElseThrow()),
              starting.reset(),
              "group '" + group.orElseThrow() + "' has committed no offset");
    };
  }

  private Map<TopicPartition, Long> stops(
      Collection<TopicPartition> partitions, StoppingOffsets stopping) throws InterruptedException {
    if (stopping.timestamp().isPresent()) {
      return atTimestamp(partitions, stopping.timestamp().getAsLong());
    }
    return known(partitions, stopping.given(), OffsetReset.LATEST, "");
  }

  private Map<TopicPartition, Long> known(
      Collection<TopicPartition> partitions,
      Map<TopicPartition, Long> offsets,
      OffsetReset otherwise,
      String why)
      throws InterruptedException {
    Map<TopicPartition, Long> result = new HashMap<>();
    List<TopicPartition> unknown = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      Long offset = offsets.get(partition);
      if (offset == null) {
        unknown.add(partition);
      } else {
        result.put(partition, offset);
      }
    }
    result.putAll(reset(unknown, otherwise, why));
    return result;
  }

  private Map<TopicPartition, Long> reset(
      Collection<TopicPartition> partitions, OffsetReset reset, String why)
      throws InterruptedException {
    if (reset == OffsetReset.FAIL && !partitions.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The source does not know where to start in partition "
              + partitions.iterator().next()
              + ": "
              + why
              + ". Start with another OffsetReset than FAIL, or with other offsets.");
    }
    return offsets(
        partitions, reset == OffsetReset.EARLIEST ? OffsetSpec.earliest() : OffsetSpec.latest());
  }

  private Map<TopicPartition, Long> atTimestamp(
      Collection<TopicPartition> partitions, long timestamp) throws InterruptedException {
    // Before the others: a record that comes in between has no effect on partitions with an offset.
    Map<TopicPartition, Long> latest = offsets(partitions, OffsetSpec.latest());
    Map<TopicPartition, Long> result =
        new HashMap<>(offsets(partitions, OffsetSpec.forTimestamp(timestamp)));
    result.replaceAll((partition, offset) -> offset < 0 ? latest.get(partition) : offset);
    return result;
  }

  private Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions, String group)
      throws InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> stored =
        connection.await(
            admin
                .listConsumerGroupOffsets(
                    Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions)))
                .partitionsToOffsetAndMetadata(group),
            "The committed offsets of group '" + group + "'");
    Map<TopicPartition, Long> offsets = new HashMap<>();
    stored.forEach(
        (partition, offset) -> {
          if (offset != null) {
            offsets.put(partition, offset.offset());
          }
        });
    return offsets;
  }

  private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec spec)
      throws InterruptedException {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    partitions.forEach(partition -> specs.put(partition, spec));
    Map<TopicPartition, ListOffsetsResultInfo> found =
        connection.await(
            admin.listOffsets(specs, new ListOffsetsOptions(isolation)).all(),
            "The offsets of " + partitions.size() + " partitions");
    Map<TopicPartition, Long> offsets = new HashMap<>();
    found.forEach((partition, info) -> offsets.put(partition, info.offset()));
    return offsets;
  }

  private static List<KafkaPartitionSplit> splits(
      Collection<TopicPartition> partitions,
      Map<TopicPartition, Long> start,
      Map<TopicPartition, Long> stop) {
    return partitions.stream()
        .map(
            each ->
                new KafkaPartitionSplit(
                    each.topic(),
                    each.partition(),
                    start.get(each),
                    stop.getOrDefault(each, KafkaPartitionSplit.NO_STOP)))
        .toList();
  }
}
