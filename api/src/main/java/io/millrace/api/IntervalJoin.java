package io.millrace.api;

import io.millrace.api.function.JoinFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessJoinFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;

/**
 * Joins a record of the first stream with those of the second stream that have the same key and a
 * timestamp in an interval around its own, in event time: {@code
 * first.keyBy(…).intervalJoin(second.keyBy(…)).between(…, …).process(…)}. The timestamp of a result
 * is the higher one of its two records. A record at or before the watermark is late.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .intervalJoin(payments.keyBy(Payment::customer))
 *     .between(Duration.ZERO, Duration.ofHours(1))
 *     .apply((order, payment) -> order + " paid with " + payment)
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <K> keys
 */
public final class IntervalJoin<A, B, K> {
  private final KeyedStream<A, K> first;
  private final KeyedStream<B, K> second;

  IntervalJoin(KeyedStream<A, K> first, KeyedStream<B, K> second) {
    first.node().requireSameEnvironment(second.node(), "join");
    this.first = first;
    this.second = second;
  }

  /**
   * The interval in which a record of the second stream matches, relative to the timestamp of the
   * record of the first stream. Both bounds are inclusive and may be negative.
   */
  public Between between(Duration lower, Duration upper) {
    return new Between(lower.toMillis(), upper.toMillis());
  }

  /** With the interval: an inner join, until an outer one is chosen. */
  public final class Between {
    private long lower;
    private long upper;
    private JoinSides outer = JoinSides.INNER;
    private String leftLate = "";
    private String rightLate = "";

    private Between(long lower, long upper) {
      this.lower = lower;
      this.upper = upper;
      check();
    }

    private void check() {
      if (lower > upper) {
        throw new MillraceException(
            ErrorKind.USER,
            "The interval from "
                + lower
                + " ms to "
                + upper
                + " ms of a join is empty. Give the lower bound first, and leave room between"
                + " exclusive bounds.");
      }
    }

    /** Excludes the lower bound. */
    public Between lowerBoundExclusive() {
      lower = Math.addExact(lower, 1);
      check();
      return this;
    }

    /** Excludes the upper bound. */
    public Between upperBoundExclusive() {
      upper = Math.subtractExact(upper, 1);
      check();
      return this;
    }

    /** Records of the first stream without a match are joined with null, once none can come. */
    public Between leftOuter() {
      outer = JoinSides.LEFT;
      return this;
    }

    /** Records of the second stream without a match are joined with null, once none can come. */
    public Between rightOuter() {
      outer = JoinSides.RIGHT;
      return this;
    }

    /** Records of both streams without a match are joined with null, once none can come. */
    public Between fullOuter() {
      outer = JoinSides.FULL;
      return this;
    }

    /** Sets the side output for late records of the first stream, which are dropped otherwise. */
    public Between sideOutputLeftLateData(OutputTag<A> tag) {
      leftLate = tag.id();
      return this;
    }

    /** Sets the side output for late records of the second stream. */
    public Between sideOutputRightLateData(OutputTag<B> tag) {
      rightLate = tag.id();
      return this;
    }

    /** Calls the function for each pair. */
    public <R> DataStream<R> process(ProcessJoinFunction<? super A, ? super B, R> function) {
      return first
          .connect(second)
          .process(
              new IntervalJoinFunction<K, A, B, R>(
                  function,
                  new IntervalJoinFunction.Settings(lower, upper, outer, leftLate, rightLate)))
          .name("intervalJoin");
    }

    /** The same with the class of the results, for a lambda in the middle of a chain of calls. */
    public <R> DataStream<R> process(
        Class<R> results, ProcessJoinFunction<? super A, ? super B, R> function) {
      Objects.requireNonNull(results, "results");
      return process(function);
    }

    /** The same with one result of each pair: {@code (first, second) -> result}. */
    public <R> DataStream<R> apply(JoinFunction<? super A, ? super B, R> function) {
      return process(new IntervalJoinFunction.EmitPair<A, B, R>(function));
    }
  }
}
