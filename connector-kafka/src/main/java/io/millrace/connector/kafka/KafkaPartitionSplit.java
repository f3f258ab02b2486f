package io.millrace.connector.kafka;

import io.millrace.api.source.SourceSplit;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition of a topic.
 *
 * @param next the offset of the next record to read
 * @param stop the offset before which reading ends; {@link Long#MAX_VALUE} for none
 */
record KafkaPartitionSplit(String topic, int partition, long next, long stop)
    implements SourceSplit {
  static final long NO_STOP = Long.MAX_VALUE;

  @Override
  public String splitId() {
    return topic + "-" + partition;
  }

  TopicPartition topicPartition() {
    return new TopicPartition(topic, partition);
  }

  KafkaPartitionSplit at(long offset) {
    return new KafkaPartitionSplit(topic, partition, offset, stop);
  }

  boolean isRead() {
    return next >= stop;
  }
}
