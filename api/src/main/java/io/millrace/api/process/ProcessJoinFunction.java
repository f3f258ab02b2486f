package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.time.Timestamps;

/**
 * Processes each pair of records that an interval join finds. In an outer join the record of a side
 * that has no match is null.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .intervalJoin(payments.keyBy(Payment::customer))
 *     .between(Duration.ZERO, Duration.ofHours(1))
 *     .process(
 *         Long.class,
 *         (order, payment, context, out) ->
 *             out.emit(context.rightTimestamp() - context.leftTimestamp()))
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessJoinFunction<A, B, R> extends RichFunction {
  void process(A left, B right, Context context, Collector<R> out) throws Exception;

  /** The context of a pair. Valid only during the call. */
  interface Context {
    /** The timestamp of the left record, {@link Timestamps#NONE} if there is none. */
    long leftTimestamp();

    /** The timestamp of the right record, {@link Timestamps#NONE} if there is none. */
    long rightTimestamp();

    /**
     * The timestamp of the results: the higher one of both; without a match, the time from which on
     * none can come.
     */
    long timestamp();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }
}
