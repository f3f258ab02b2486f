package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a source starts to read, if its job starts without state. A job that goes on from a
 * checkpoint goes on from the offsets in it. Partitions that appear while the job runs are read
 * from their oldest record.
 *
 * <pre>{@code
 * KafkaSource<Order> ofThisYear =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *         .startAt(StartingOffsets.timestamp(Instant.parse("2026-01-01T00:00:00Z")));
 * }</pre>
 */
public final class StartingOffsets implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The kinds of starting offsets. */
  enum Kind {
    COMMITTED,
    TIMESTAMP,
    GIVEN,
    /** The reset alone. */
    RESET
  }

  private final Kind kind;
  private final OffsetReset reset;
  private final long timestamp;
  private final HashMap<TopicPartition, Long> given;

  private StartingOffsets(
      Kind kind, OffsetReset reset, long timestamp, Map<TopicPartition, Long> given) {
    this.kind = kind;
    this.reset = Objects.requireNonNull(reset, "reset");
    this.timestamp = timestamp;
    this.given = new HashMap<>(given);
  }

  /** At the oldest record of each partition. */
  public static StartingOffsets earliest() {
    return new StartingOffsets(Kind.RESET, OffsetReset.EARLIEST, 0, Map.of());
  }

  /** Behind the newest record of each partition. */
  public static StartingOffsets latest() {
    return new StartingOffsets(Kind.RESET, OffsetReset.LATEST, 0, Map.of());
  }

  /** At the offsets that the group of the source has committed. */
  public static StartingOffsets committed(OffsetReset otherwise) {
    return new StartingOffsets(Kind.COMMITTED, otherwise, 0, Map.of());
  }

  /**
   * At the first record of each partition whose timestamp is this or later; behind the newest
   * record where there is none.
   */
  public static StartingOffsets timestamp(Instant time) {
    return new StartingOffsets(Kind.TIMESTAMP, OffsetReset.LATEST, time.toEpochMilli(), Map.of());
  }

  /** At these offsets. */
  public static StartingOffsets given(Map<TopicPartition, Long> offsets, OffsetReset otherwise) {
    requirePositions(offsets);
    return new StartingOffsets(Kind.GIVEN, otherwise, 0, offsets);
  }

  static void requirePositions(Map<TopicPartition, Long> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          if (offset < 0) {
            throw new MillraceException(
                ErrorKind.USER,
                "Offset " + offset + " of partition " + partition + " is not 0 or more.");
          }
        });
  }

  Kind kind() {
    return kind;
  }

  OffsetReset reset() {
    return reset;
  }

  /** In milliseconds since 1970. */
  long timestamp() {
    return timestamp;
  }

  Map<TopicPartition, Long> given() {
    return given;
  }
}
