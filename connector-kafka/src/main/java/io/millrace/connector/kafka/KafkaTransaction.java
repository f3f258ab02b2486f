package io.millrace.connector.kafka;

/**
 * A transaction whose records are written and which waits for its commit.
 *
 * @param producerId given by Kafka, as is the epoch; together they tell the transaction from others
 *     of the same id
 */
record KafkaTransaction(String transactionalId, long producerId, int epoch) {}
