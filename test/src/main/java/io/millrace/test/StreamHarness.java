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
 * try (StreamHarness<Reading, String> harness =
 *     StreamHarness.of(readings -> readings.keyBy(Reading::sensor).process(new SilenceAlert()))) {
 *   harness.push(new Reading("a", 21), 1_000);
 *   assertEquals(List.of(61_000L), harness.eventTimeTimers("a"));
 *   harness.watermark(61_000);
 *   assertEquals(List.of("a is silent"), harness.output());
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
