package io.millrace.test;

import io.millrace.api.DataStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Runs transformations of two streams step by step: connected and broadcast streams and joins.
 *
 * <pre>{@code
 * try (TwoInputHarness<Order, Payment, Long> harness =
 *     TwoInputHarness.of(
 *         (orders, payments) ->
 *             orders
 *                 .join(payments)
 *                 .where(Order::customer)
 *                 .equalTo(Payment::customer)
 *                 .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
 *                 .apply((order, payment) -> order.cents() - payment.cents()))) {
 *   harness.pushFirst(new Order("ada", 100, 120), 100);
 *   harness.pushSecond(new Payment("ada", 900, 100), 900);
 *   harness.watermark(999);
 *   assertEquals(List.of(20L), harness.output());
 * }
 * }</pre>
 *
 * @param <A> the records of the first stream
 * @param <B> the records of the second stream
 * @param <R> the results
 */
public final class TwoInputHarness<A, B, R> extends Harness<R, TwoInputHarness<A, B, R>> {
  private final BiFunction<DataStream<A>, DataStream<B>, DataStream<R>> program;

  private TwoInputHarness(BiFunction<DataStream<A>, DataStream<B>, DataStream<R>> program) {
    super(2);
    this.program = Objects.requireNonNull(program, "program");
  }

  /** A harness for everything between two sources and a sink. */
  public static <A, B, R> TwoInputHarness<A, B, R> of(
      BiFunction<DataStream<A>, DataStream<B>, DataStream<R>> program) {
    return new TwoInputHarness<>(program);
  }

  @Override
  TwoInputHarness<A, B, R> self() {
    return this;
  }

  @Override
  @SuppressWarnings("unchecked") // The test pushes records of these types only.
  DataStream<R> program(List<DataStream<?>> streams) {
    return program.apply((DataStream<A>) streams.get(0), (DataStream<B>) streams.get(1));
  }

  /** Pushes a record of the first stream, with the current processing time as timestamp. */
  public TwoInputHarness<A, B, R> pushFirst(A record) {
    return push(0, record, Optional.empty());
  }

  /** Pushes a record of the first stream with a timestamp in milliseconds. */
  public TwoInputHarness<A, B, R> pushFirst(A record, long timestamp) {
    return push(0, record, Optional.of(timestamp));
  }

  /** Pushes a record of the second stream, with the current processing time as timestamp. */
  public TwoInputHarness<A, B, R> pushSecond(B record) {
    return push(1, record, Optional.empty());
  }

  /** Pushes a record of the second stream with a timestamp in milliseconds. */
  public TwoInputHarness<A, B, R> pushSecond(B record, long timestamp) {
    return push(1, record, Optional.of(timestamp));
  }

  /** A watermark of the first stream only; event time is the lower one of both. */
  public TwoInputHarness<A, B, R> watermarkFirst(long timestamp) {
    return element(0, new ScriptedInput.Watermark(timestamp));
  }

  /** A watermark of the second stream only; event time is the lower one of both. */
  public TwoInputHarness<A, B, R> watermarkSecond(long timestamp) {
    return element(1, new ScriptedInput.Watermark(timestamp));
  }

  /** The first stream does not hold event time back until its next record or watermark. */
  public TwoInputHarness<A, B, R> idleFirst() {
    return element(0, new ScriptedInput.Idle());
  }

  /** The second stream does not hold event time back until its next record or watermark. */
  public TwoInputHarness<A, B, R> idleSecond() {
    return element(1, new ScriptedInput.Idle());
  }
}
