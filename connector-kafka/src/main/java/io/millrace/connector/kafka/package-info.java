/**
 * A source and a sink for Apache Kafka: {@link io.millrace.connector.kafka.KafkaSource} and {@link
 * io.millrace.connector.kafka.KafkaSink}. Partitions are splits, offsets are positions in
 * checkpoints, and transactions are committed with checkpoints. The engine does not have this
 * module; a program packs it into its jar together with Kafka's client.
 */
package io.millrace.connector.kafka;
