package io.millrace.connector.kafka;

import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.StatefulSinkWriter;
import java.util.List;

/** Writes the records between two checkpoints in one transaction. Belongs to the task. */
final class TransactionalKafkaWriter<T>
    implements StatefulSinkWriter<T, TransactionalId>, CommittingSinkWriter<T, KafkaTransaction> {
  private final TransactionalProducers producers;
  private final KafkaRecordSerializer<? super T> records;

  TransactionalKafkaWriter(
      TransactionalProducers producers, KafkaRecordSerializer<? super T> records) {
    this.producers = producers;
    this.records = records;
  }

  @Override
  public void write(T record) throws Exception {
    RecordProducer producer = producers.writing();
    producer.send(records.serialize(record, producer::partitions));
  }

  @Override
  public void flush(boolean endOfInput) {
    producers.flush();
  }

  @Override
  public List<KafkaTransaction> prepareCommit() throws InterruptedException {
    return producers.prepare();
  }

  @Override
  public List<TransactionalId> snapshot(long checkpoint) {
    return producers.prepared();
  }

  /** The committer, which is closed after the writer, closes the producers. */
  @Override
  public void close() {}
}
