package io.millrace.connector.kafka;

import io.millrace.api.function.Collector;
import io.millrace.api.source.SourceOutput;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parses records of Kafka, and deals with those that cannot be parsed. Belongs to the task. */
final class RecordParser<T> {
  private static final Logger LOG = LoggerFactory.getLogger(RecordParser.class);

  private final KafkaRecordDeserializer<T> deserializer;
  private final BadRecords bad;

  /**
   * What the current record of Kafka gave. It is emitted afterwards, so that an exception of an
   * operator behind the source is not taken for one of the deserializer.
   */
  private final List<T> parsed = new ArrayList<>(1);

  private final Collector<T> collector =
      each -> parsed.add(Objects.requireNonNull(each, "The record is null"));

  private long skipped;

  RecordParser(KafkaRecordDeserializer<T> deserializer, BadRecords bad) {
    this.deserializer = deserializer;
    this.bad = bad;
  }

  void emit(ConsumerRecord<byte[], byte[]> record, SourceOutput<T> out) {
    parsed.clear();
    try {
      deserializer.deserialize(record, collector);
    } catch (Exception e) {
      refused(record, e, out);
      return;
    }
    for (T each : parsed) {
      out.emit(each, record.timestamp());
    }
  }

  private void refused(ConsumerRecord<byte[], byte[]> record, Exception why, SourceOutput<T> out) {
    if (why instanceof MillraceException failure && failure.kind() == ErrorKind.EXTERNAL) {
      // The record may be good: a system that its format needs does not answer.
      throw failure;
    }
    if (bad.fails()) {
      throw new MillraceException(
          ErrorKind.USER,
          place(record)
              + " cannot be parsed: "
              + Failure.sentence(why)
              + " Correct the format of the source, or let it skip such records or emit them into"
              + " a side output (badRecords).",
          why);
    }
    if (bad.tag().isPresent()) {
      out.output(
          bad.tag().get(),
          new UnparsedRecord(
              record.topic(),
              record.partition(),
              record.offset(),
              record.timestamp(),
              record.key(),
              record.value(),
              Failure.sentence(why)));
      return;
    }
    skipped++;
    // The first, the 2nd, 4th, 8th and so on: a topic full of them does not fill the log.
    if ((skipped & skipped - 1) == 0) {
      // As text: a log appender must not call methods of a user exception.
      LOG.warn(
          "{} cannot be parsed and is skipped, as {} records of this subtask in all: {}",
          place(record),
          skipped,
          Failure.sentence(why));
    }
  }

  static String place(ConsumerRecord<?, ?> record) {
    return "Record at offset "
        + record.offset()
        + " of partition "
        + record.partition()
        + " of topic '"
        + record.topic()
        + "'";
  }

  /** The number of records that were skipped since the start of the subtask. */
  long skipped() {
    return skipped;
  }

  void close() {
    if (skipped > 0) {
      LOG.warn("{} records could not be parsed and were skipped", skipped);
    }
  }
}
