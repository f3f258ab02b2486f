package io.millrace.connector.kafka;

import java.io.Serializable;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a bounded source ends. The offsets are determined once, when the job starts without state.
 *
 * <pre>{@code
 * // Reads what is there now, and ends.
 * KafkaSource<Order> source =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *         .startAt(StartingOffsets.earliest())
 *         .stopAt(StoppingOffsets.latest());
 * env.runtimeMode(RuntimeMode.BATCH).fromSource(source, "orders").print();
 * }</pre>
 */
public final class StoppingOffsets implements Serializable {
  private static final long serialVersionUID = 1L;

  /** In milliseconds since 1970; null for none. */
  private final Long timestamp;

  private final HashMap<TopicPartition, Long> given;

  private StoppingOffsets(Long timestamp, Map<TopicPartition, Long> given) {
    this.timestamp = timestamp;
    this.given = new HashMap<>(given);
  }

  /** Behind the records that are there when the job starts. */
  public static StoppingOffsets latest() {
    return new StoppingOffsets(null, Map.of());
  }

  /**
   * Before the first record of each partition whose timestamp is this or later, and before records
   * that come after the start of the job.
   */
  public static StoppingOffsets timestamp(Instant time) {
    return new StoppingOffsets(time.toEpochMilli(), Map.of());
  }

  /**
   * Before these offsets. The source waits for records that are not there yet. Other partitions end
   * behind the records that are there when the job starts.
   */
  public static StoppingOffsets given(Map<TopicPartition, Long> offsets) {
    StartingOffsets.requirePositions(offsets);
    return new StoppingOffsets(null, offsets);
  }

  OptionalLong timestamp() {
    return timestamp == null ? OptionalLong.empty() : OptionalLong.of(timestamp);
  }

  Map<TopicPartition, Long> given() {
    return given;
  }
}
