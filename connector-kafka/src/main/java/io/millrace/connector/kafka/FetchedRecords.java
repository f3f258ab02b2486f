package io.millrace.connector.kafka;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Records of one partition, in order.
 *
 * @param next the offset behind them, and behind what follows them and is no record, as the markers
 *     of transactions
 * @param last whether the partition is read up to its stopping offset
 */
record FetchedRecords(
    TopicPartition partition,
    List<ConsumerRecord<byte[], byte[]>> records,
    long next,
    boolean last) {}
