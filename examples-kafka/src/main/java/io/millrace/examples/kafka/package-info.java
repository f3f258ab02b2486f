/**
 * An example program that reads from and writes to Kafka: {@link
 * io.millrace.examples.kafka.KafkaWindowedCount}.
 */
package io.millrace.examples.kafka;
