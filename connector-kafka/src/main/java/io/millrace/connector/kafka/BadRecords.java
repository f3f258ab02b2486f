package io.millrace.connector.kafka;

import io.millrace.api.process.OutputTag;
import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/**
 * What a source does with records that cannot be parsed.
 *
 * <pre>{@code
 * KafkaSource<Order> source =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *         .badRecords(BadRecords.skip());
 * env.fromSource(source, "orders").print();
 * }</pre>
 */
public final class BadRecords implements Serializable {
  private static final long serialVersionUID = 1L;

  private final boolean fails;

  /** Null for none. */
  private final OutputTag<UnparsedRecord> tag;

  private BadRecords(boolean fails, OutputTag<UnparsedRecord> tag) {
    this.fails = fails;
    this.tag = tag;
  }

  /** The task fails with the topic, partition and offset of the record; the default. */
  public static BadRecords fail() {
    return new BadRecords(true, null);
  }

  /** The record is left out. The TaskManager's log has the first one and how many follow. */
  public static BadRecords skip() {
    return new BadRecords(false, null);
  }

  /**
   * The record goes into a side output of the source, from where the program may write it to a
   * topic for later.
   */
  public static BadRecords sideOutput(OutputTag<UnparsedRecord> tag) {
    return new BadRecords(false, Objects.requireNonNull(tag, "tag"));
  }

  boolean fails() {
    return fails;
  }

  Optional<OutputTag<UnparsedRecord>> tag() {
    return Optional.ofNullable(tag);
  }
}
