package io.millrace.connector.kafka;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The state of an enumerator: the partitions whose splits were found. There is none before the
 * first discovery, so that partitions of the first one and later ones are told apart.
 */
record DiscoveredPartitions(List<Partition> partitions) {
  /** A partition of a topic. */
  record Partition(String topic, int partition) {}

  static DiscoveredPartitions of(Collection<TopicPartition> partitions) {
    return new DiscoveredPartitions(
        partitions.stream()
            .map(each -> new Partition(each.topic(), each.partition()))
            .sorted(Comparator.comparing(Partition::topic).thenComparingInt(Partition::partition))
            .toList());
  }

  Set<TopicPartition> topicPartitions() {
    Set<TopicPartition> set = new LinkedHashSet<>();
    partitions.forEach(each -> set.add(new TopicPartition(each.topic(), each.partition())));
    return set;
  }
}
