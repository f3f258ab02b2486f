package io.millrace.examples.kafka;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.format.StringFormat;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.connector.kafka.KafkaRecords;
import io.millrace.connector.kafka.KafkaSink;
import io.millrace.connector.kafka.KafkaSource;
import io.millrace.connector.kafka.KafkaTopics;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.format.jackson.JsonFormat;
import java.time.Duration;
import java.util.stream.StreamSupport;

/**
 * Counts the visits of pages per second of event time, from topic to topic, exactly once: {@code
 * SERVERS INPUT OUTPUT}.
 *
 * <p>Records of the topic INPUT are visits, as {@code {"page":"a","time":1500}}, with increasing
 * times in each partition. Records of the topic OUTPUT are counts, as {@code
 * {"page":"a","start":1000,"count":7}}, with the page as key. Run it with checkpoints: {@code -D
 * execution.checkpointing.interval=10s}.
 */
public final class KafkaWindowedCount {
  /**
   * A visit of a page.
   *
   * @param time in milliseconds since 1970
   */
  public record Visit(String page, long time) {}

  /**
   * The number of visits of a page in a window.
   *
   * @param start of the window, in milliseconds since 1970
   */
  public record Visits(String page, long start, long count) {}

  private KafkaWindowedCount() {}

  public static void main(String[] args) {
    if (args.length != 3) {
      throw new MillraceException(
          ErrorKind.USER,
          "The program needs three arguments: the brokers of Kafka, the topic of visits and the"
              + " topic of counts. Example: 127.0.0.1:9092 visits counts");
    }
    String servers = args[0];
    String input = args[1];
    String output = args[2];
    StreamEnvironment env = StreamEnvironment.current();
    env.fromSource(
            KafkaSource.of(servers, KafkaTopics.named(input), JsonFormat.of(Visit.class))
                .groupId("kafka-windowed-count"),
            WatermarkStrategy.forMonotonousTimestamps(Visit::time),
            "visits")
        .uid("visits")
        .keyBy(Visit::page)
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .process((page, window, visits) -> new Visits(page, window.start(), count(visits)))
        .uid("counts")
        .sinkTo(
            KafkaSink.<Visits>to(
                    servers,
                    KafkaRecords.<Visits>to(output, JsonFormat.of(Visits.class))
                        .key(Visits::page, new StringFormat()))
                .exactlyOnce("kafka-windowed-count-" + output))
        .uid("output");
    env.execute("kafka windowed count");
  }

  private static long count(Iterable<Visit> visits) {
    return StreamSupport.stream(visits.spliterator(), false).count();
  }
}
