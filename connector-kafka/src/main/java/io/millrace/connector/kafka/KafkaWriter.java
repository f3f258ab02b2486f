package io.millrace.connector.kafka;

import io.millrace.api.sink.SinkWriter;
import java.time.Duration;

/** Writes records and waits for their acknowledgement at checkpoints. Belongs to the task. */
final class KafkaWriter<T> implements SinkWriter<T> {
  private final RecordProducer producer;
  private final KafkaRecordSerializer<? super T> records;

  KafkaWriter(RecordProducer producer, KafkaRecordSerializer<? super T> records) {
    this.producer = producer;
    this.records = records;
  }

  @Override
  public void write(T record) throws Exception {
    producer.send(records.serialize(record, producer::partitions));
  }

  @Override
  public void flush(boolean endOfInput) {
    producer.flush();
  }

  /** What was not flushed is written again after a restart. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
