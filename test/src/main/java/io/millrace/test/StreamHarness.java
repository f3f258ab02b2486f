package io.millrace.test;

import io.millrace.api.DataStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Runs transformations of one stream step by step.
 *
 * <pre>{@code
 * try (StreamHarness<Order, Summed<String>> harness =
 *     StreamHarness.of(
 *         orders ->
 *             orders
 *                 .keyBy(Order::customer)
 *                 .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
 *                 .sum(Order::cents))) {
 *   harness.push(new Order("ada", 100, 20), 100).push(new Order("ada", 900, 30), 900);
 *   harness.watermark(999);
 *   assertEquals(List.of(new Summed<>("ada", 50)), harness.output());
 * }
 * }</pre>
 *
 * @param <T> the records that the test pushes
 * @param <R> the results
 */
public final class StreamHarness<T, R> extends Harness<R, StreamHarness<T, R>> {
  private final Function<DataStream<T>, DataStream<R>> program;

  private StreamHarness(Function<DataStream<T>, DataStream<R>> program) {
    super(1);
    this.program = Objects.requireNonNull(program, "program");
  }

  /** A harness for everything between a source and a sink. */
  public static <T, R> StreamHarness<T, R> of(Function<DataStream<T>, DataStream<R>> program) {
    return new StreamHarness<>(program);
  }

  @Override
  StreamHarness<T, R> self() {
    return this;
  }

  @Override
  @SuppressWarnings("unchecked") // The test pushes records of this type only.
  DataStream<R> program(List<DataStream<?>> streams) {
    return program.apply((DataStream<T>) streams.get(0));
  }

  /** Pushes a record, with the current processing time as timestamp. */
  public StreamHarness<T, R> push(T record) {
    return push(0, record, Optional.empty());
  }

  /** Pushes a record with a timestamp in milliseconds. */
  public StreamHarness<T, R> push(T record, long timestamp) {
    return push(0, record, Optional.of(timestamp));
  }
}
