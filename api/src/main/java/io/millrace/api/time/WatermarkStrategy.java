package io.millrace.api.time;

import io.millrace.api.function.LongExtractor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Assigns timestamps and generates watermarks.
 *
 * <pre>{@code
 * orders.assignTimestampsAndWatermarks(
 *     WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5), Order::time)
 *         .withIdleness(Duration.ofMinutes(1)));
 * }</pre>
 *
 * <p>A strategy that is made without the timestamps gets them from {@link #withTimestampAssigner}.
 * It comes last: the compiler infers the type of its records from where the strategy goes, and from
 * a call in the middle of a chain it could not.
 *
 * @param <T> the records
 */
public final class WatermarkStrategy<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  private final WatermarkGeneratorSupplier<? super T> supplier;
  private final boolean followsRecords;
  private final TimestampAssigner<? super T> assigner;
  private final Duration idleness;

  /** Null for none. */
  private final WatermarkAlignment alignment;

  private WatermarkStrategy(
      WatermarkGeneratorSupplier<? super T> supplier,
      boolean followsRecords,
      TimestampAssigner<? super T> assigner,
      Duration idleness,
      WatermarkAlignment alignment) {
    this.supplier = supplier;
    this.followsRecords = followsRecords;
    this.assigner = assigner;
    this.idleness = idleness;
    this.alignment = alignment;
  }

  private static <T> WatermarkStrategy<T> of(
      WatermarkGeneratorSupplier<T> supplier, boolean followsRecords) {
    return new WatermarkStrategy<>(
        supplier, followsRecords, (record, before) -> before, Duration.ZERO, null);
  }

  /** Emits no watermark before the end of input. */
  public static <T> WatermarkStrategy<T> noWatermarks() {
    return of(() -> (record, timestamp, output) -> {}, true);
  }

  /** For timestamps that never go back within a parallel instance. */
  public static <T> WatermarkStrategy<T> forMonotonousTimestamps() {
    return forBoundedOutOfOrderness(Duration.ZERO);
  }

  /** The same with the timestamps themselves. */
  public static <T> WatermarkStrategy<T> forMonotonousTimestamps(
      LongExtractor<? super T> timestamp) {
    return forBoundedOutOfOrderness(Duration.ZERO, timestamp);
  }

  /** For timestamps that are behind the highest one so far by at most this much. */
  public static <T> WatermarkStrategy<T> forBoundedOutOfOrderness(Duration disorder) {
    long millis = Objects.requireNonNull(disorder, "disorder").toMillis();
    if (millis < 0) {
      throw new MillraceException(
          ErrorKind.USER, "Records are out of order by 0 ms or more, not by " + millis + " ms.");
    }
    return of(() -> new BoundedOutOfOrdernessWatermarks<>(millis), true);
  }

  /** The same with the timestamps themselves. */
  public static <T> WatermarkStrategy<T> forBoundedOutOfOrderness(
      Duration disorder, LongExtractor<? super T> timestamp) {
    Objects.requireNonNull(timestamp, "timestamp");
    return WatermarkStrategy.<T>forBoundedOutOfOrderness(disorder)
        .withTimestampAssigner((record, before) -> timestamp.extract(record));
  }

  /** Uses a custom generator. */
  public static <T> WatermarkStrategy<T> forGenerator(WatermarkGeneratorSupplier<T> supplier) {
    return of(Objects.requireNonNull(supplier, "supplier"), false);
  }

  /**
   * Takes timestamps from the records.
   *
   * @param <S> the records; the strategy so far works for each kind of its own records
   */
  public <S extends T> WatermarkStrategy<S> withTimestampAssigner(
      TimestampAssigner<? super S> timestamps) {
    return new WatermarkStrategy<>(
        supplier,
        followsRecords,
        Objects.requireNonNull(timestamps, "assigner"),
        idleness,
        alignment);
  }

  /** Marks a split, or a subtask, without records for this time as idle. */
  public WatermarkStrategy<T> withIdleness(Duration after) {
    if (after.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER, "A stream is idle after 1 ms or more, not after " + after + ".");
    }
    return new WatermarkStrategy<>(supplier, followsRecords, assigner, after, alignment);
  }

  /** As the other method, with an update every second. */
  public WatermarkStrategy<T> withWatermarkAlignment(String group, Duration maxDrift) {
    return withWatermarkAlignment(group, maxDrift, Duration.ofSeconds(1));
  }

  /**
   * Lets sources of the job with the same group wait for each other, so that operators behind them
   * need not keep what the quickest one is ahead. A source does not emit while its watermark is
   * ahead of the lowest one of the group by more than {@code maxDrift}; a reader that can pause
   * splits pauses those that are. Sources that are idle do not count. The strategy must run in the
   * task of its source.
   */
  public WatermarkStrategy<T> withWatermarkAlignment(
      String group, Duration maxDrift, Duration updateInterval) {
    return new WatermarkStrategy<>(
        supplier,
        followsRecords,
        assigner,
        idleness,
        new WatermarkAlignment(group, maxDrift, updateInterval));
  }

  // --- for the engine

  /** A new generator. */
  public WatermarkGenerator<? super T> generator() throws Exception {
    return supplier.generator();
  }

  /** Whether watermarks change only with records, so that periodic calls need records. */
  public boolean followsRecords() {
    return followsRecords;
  }

  public TimestampAssigner<? super T> assigner() {
    return assigner;
  }

  /** The time without records after which a subtask is idle; zero for never. */
  public Duration idleness() {
    return idleness;
  }

  /** How sources wait for each other; empty if they do not. */
  public Optional<WatermarkAlignment> alignment() {
    return Optional.ofNullable(alignment);
  }
}
