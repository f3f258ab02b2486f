package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer of Kafka that keeps the first record that was not written, and fails with it in the
 * next call. Belongs to the task.
 */
final class RecordProducer {
  private static final Logger LOG = LoggerFactory.getLogger(RecordProducer.class);

  private final KafkaConnection connection;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<MillraceException> failure = new AtomicReference<>();

  RecordProducer(KafkaConnection connection, Map<String, Object> own) {
    this.connection = connection;
    this.producer =
        connection.opened(
            () ->
                new KafkaProducer<>(
                    connection.client(own), new ByteArraySerializer(), new ByteArraySerializer()));
  }

  int partitions(String topic) {
    try {
      return producer.partitionsFor(topic).size();
    } catch (KafkaException e) {
      throw failed(topic, e);
    }
  }

  void send(ProducerRecord<byte[], byte[]> record) {
    requireWritten();
    String topic = record.topic();
    try {
      producer.send(
          record,
          (metadata, exception) -> {
            if (exception != null) {
              failure.compareAndSet(null, failed(topic, exception));
            }
          });
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException | IllegalStateException e) {
      requireWritten();
      throw failed(topic, e);
    }
  }

  /** Waits until all records are written. */
  void flush() {
    producer.flush();
    requireWritten();
  }

  private void requireWritten() {
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  private MillraceException failed(String topic, Exception why) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "A record could not be written to topic '"
            + topic
            + "' of Kafka at "
            + connection.servers()
            + ": "
            + Failure.sentence(why),
        why);
  }

  KafkaProducer<byte[], byte[]> client() {
    return producer;
  }

  /** Closes the client; what is not written within the time is given up. */
  void close(Duration timeout) {
    try {
      producer.close(timeout);
    } catch (InterruptException e) {
      // The task is cancelled and has no time. The client ends by itself.
      Thread.currentThread().interrupt();
    } catch (KafkaException e) {
      LOG.warn("A producer of Kafka at {} was not closed cleanly", connection.servers(), e);
    }
  }
}
