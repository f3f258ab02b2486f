package io.millrace.bench.works;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.TopicRecords;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The topics of W13.
 *
 * <pre>
 * TopicTool fill SERVERS TOPIC RECORDS
 * TopicTool create SERVERS TOPIC
 * TopicTool check SERVERS TOPIC RECORDS
 * </pre>
 */
public final class TopicTool {
  private TopicTool() {}

  public static void main(String[] arguments) throws Exception {
    String servers = arguments[1];
    String topic = arguments[2];
    JsonLine json = new JsonLine("kafka", "W13", arguments[0]);
    switch (arguments[0]) {
      case "fill" -> {
        create(servers, topic);
        fill(servers, topic, Long.parseLong(arguments[3]));
      }
      case "create" -> create(servers, topic);
      case "check" -> check(servers, topic, Long.parseLong(arguments[3]), json);
      default -> throw new IllegalArgumentException("No command " + arguments[0]);
    }
    json.print();
  }

  private static void create(String servers, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      // Flink's sink writes event times as timestamps, which are long past.
      NewTopic kept =
          new NewTopic(topic, TopicRecords.PARTITIONS, (short) 1)
              .configs(Map.of("retention.ms", "-1"));
      admin.createTopics(List.of(kept)).all().get();
    }
  }

  private static TopicRecords[] partitions() {
    TopicRecords[] partitions = new TopicRecords[TopicRecords.PARTITIONS];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new TopicRecords(i);
    }
    return partitions;
  }

  private static void fill(String servers, String topic, long records) {
    TopicRecords[] partitions = partitions();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers, "batch.size", 65_536, "linger.ms", 20),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (long i = 0; i < records; i++) {
        int partition = (int) (i % partitions.length);
        partitions[partition].advance();
        producer.send(
            new ProducerRecord<>(topic, partition, null, partitions[partition].bytes()),
            (metadata, exception) -> {
              if (exception != null) {
                throw new IllegalStateException("A record could not be written", exception);
              }
            });
      }
    }
  }

  /** Compares the counts that consumers see with those of the records of the input. */
  private static void check(String servers, String topic, long records, JsonLine json) {
    Map<Long, int[]> expected = expected(records);
    long windows = expected.values().stream().mapToLong(TopicTool::positive).sum();
    long results = 0;
    long sum = 0;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers, "isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (int i = 0; i < TopicRecords.PARTITIONS; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          long key = ByteBuffer.wrap(record.key()).getLong();
          ByteBuffer value = ByteBuffer.wrap(record.value());
          long start = value.getLong();
          long count = value.getLong();
          int[] counts = expected.get(start);
          if (counts == null || counts[(int) key] != count) {
            throw new IllegalStateException(
                "The output has the count "
                    + count
                    + " of key "
                    + key
                    + " in the window of "
                    + start
                    + ", which is wrong or there twice");
          }
          counts[(int) key] = 0;
          results++;
          sum += count;
        }
      }
      long markers = ends.values().stream().mapToLong(Long::longValue).sum() - results;
      json.put("commits", markers / (double) partitions.size());
    }
    if (results != windows || sum != records) {
      throw new IllegalStateException(
          "The output has "
              + results
              + " of "
              + windows
              + " counts, which sum up to "
              + sum
              + " of "
              + records);
    }
    json.put("in", sum).put("out", results);
  }

  /** By window, the counts of all keys. */
  private static Map<Long, int[]> expected(long records) {
    TopicRecords[] partitions = partitions();
    Map<Long, int[]> counts = new HashMap<>();
    for (long i = 0; i < records; i++) {
      TopicRecords each = partitions[(int) (i % partitions.length)];
      each.advance();
      long start = each.timestamp() / TopicRecords.WINDOW_MS * TopicRecords.WINDOW_MS;
      counts.computeIfAbsent(start, any -> new int[TopicRecords.KEYS])[(int) each.key()]++;
    }
    return counts;
  }

  private static long positive(int[] counts) {
    long positive = 0;
    for (int count : counts) {
      positive += count > 0 ? 1 : 0;
    }
    return positive;
  }
}
