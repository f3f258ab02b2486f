package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.state.KeyedStateStore;
import io.millrace.api.window.TimeWindow;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;

/**
 * Computes the results of a window of one key when it fires.
 *
 * <p>A function that overrides {@link #clear} can have state of its own for each window, for
 * example to emit only what has changed since the window fired before:
 *
 * <pre>{@code
 * class Changes implements ProcessWindowFunction<Long, Long, String> {
 *   private static final ValueStateDescriptor<Long> BEFORE = new ValueStateDescriptor<>("before");
 *
 *   public void process(String key, Context context, Iterable<Long> sums, Collector<Long> out) {
 *     ValueState<Long> before = context.windowState().state(BEFORE);
 *     long sum = sums.iterator().next();
 *     out.emit(before.value() == null ? sum : sum - before.value());
 *     before.update(sum);
 *   }
 *
 *   public void clear(String key, Context context) {
 *     context.windowState().state(BEFORE).clear();
 *   }
 * }
 * }</pre>
 *
 * @param <T> the content of the window: its records, or the result of their aggregation
 * @param <R> results
 * @param <K> keys
 */
@FunctionalInterface
public interface ProcessWindowFunction<T, R, K> extends Serializable {
  void process(K key, Context context, Iterable<T> content, Collector<R> out) throws Exception;

  /**
   * Called when a window ends, after its allowed lateness: clears the states of the window. Only a
   * function that overrides it has such states.
   */
  default void clear(K key, Context context) throws Exception {}

  /** The context of a window. Valid only during the call. */
  interface Context {
    TimeWindow window();

    /** The current watermark. */
    long currentWatermark();

    /** Milliseconds since the epoch. */
    long currentProcessingTime();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);

    /**
     * The states of this window of the key. Only for functions that override {@link
     * ProcessWindowFunction#clear}, and not for sessions, because these merge.
     */
    default KeyedStateStore windowState() {
      throw withoutState("window");
    }

    /**
     * The states of the key, which all its windows share. Only for functions that override {@link
     * ProcessWindowFunction#clear}; a {@link RichFunction} has them from its runtime context.
     */
    default KeyedStateStore globalState() {
      throw withoutState("key");
    }

    private static MillraceException withoutState(String of) {
      return new MillraceException(
          ErrorKind.USER,
          "The window function has no state of the "
              + of
              + " here. Override clear in the function, which also declares that it has state.");
    }
  }
}
