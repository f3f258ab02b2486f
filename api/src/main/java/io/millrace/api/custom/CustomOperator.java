package io.millrace.api.custom;

import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;

/**
 * The base of operators that a program writes itself. Behind {@code keyBy} an operator has keyed
 * state and timers; anywhere it has operator state. It is called in one thread, and its calls
 * between two barriers are in the checkpoint of the second one. Each subtask has its own instance,
 * which is serialised like a function.
 *
 * <pre>{@code
 * // Counts the orders of its subtask, and emits the number when all of them are there.
 * class Counter extends OneInputOperator<Order, Long> {
 *   private transient long count;
 *
 *   public void process(Order order, Context context, OperatorOutput<Long> out) {
 *     count++;
 *   }
 *
 *   public void endInput(OperatorOutput<Long> out) {
 *     out.emit(count);
 *   }
 * }
 *
 * orders.transform("counter", new Counter()).print();
 * }</pre>
 *
 * @param <R> results
 */
public abstract sealed class CustomOperator<R> implements CheckpointedFunction
    permits OneInputOperator, TwoInputOperator {
  private static final long serialVersionUID = 1L;

  /**
   * Event time has reached a watermark, on both inputs if there are two, and the timers up to it
   * have fired. The default emits it. An operator that emits less holds event time back downstream,
   * and one that keeps records emits watermarks that are before them.
   */
  public void watermark(long watermark, OperatorOutput<R> out) throws Exception {
    out.emitWatermark(watermark);
  }

  /** A timer of the current key fires. */
  public void onTimer(long time, Context context, OperatorOutput<R> out) throws Exception {}

  /**
   * The input is complete and all timers have fired: emits what is left. Not called if the job
   * stops with a savepoint that has the state.
   */
  public void endInput(OperatorOutput<R> out) throws Exception {}

  @Override
  public void snapshotState(long checkpoint) throws Exception {}

  /** The context of a call. Valid only during the call. */
  public interface Context {
    /** The timestamp of the record or timer; {@code Timestamps.NONE} if it has none. */
    long timestamp();

    /** The key of the record or timer; throws if the stream is not keyed. */
    Object currentKey();

    /** Time, and the timers of the current key; a stream without keys has no timers. */
    TimerService timerService();

    /** The kind of time of the timer that fires. */
    TimeDomain timeDomain();
  }
}
