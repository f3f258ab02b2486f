package io.millrace.api;

import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.process.WindowMapFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.Objects;

/** Adapts functions that return results to functions that emit them. */
final class FunctionAdapters {
  private FunctionAdapters() {}

  /** Whether a function, or the one that it adapts, is a {@link RichFunction}. */
  static boolean isRich(Object function) {
    return function instanceof Adapter adapter
        ? adapter.inner instanceof RichFunction
        : function instanceof RichFunction;
  }

  /**
   * Calls the adapted function if it is a {@link RichFunction}, and at checkpoints if it is a
   * {@link CheckpointedFunction}.
   */
  private abstract static class Adapter implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    private final Serializable inner;

    Adapter(Serializable inner) {
      this.inner = inner;
    }

    @Override
    public final void open(RuntimeContext context) throws Exception {
      if (inner instanceof RichFunction rich) {
        rich.open(context);
      }
    }

    @Override
    public final void close() throws Exception {
      if (inner instanceof RichFunction rich) {
        rich.close();
      }
    }

    @Override
    public final void snapshotState(long checkpoint) throws Exception {
      if (inner instanceof CheckpointedFunction checkpointed) {
        checkpointed.snapshotState(checkpoint);
      }
    }

    @Override
    public final void checkpointCompleted(long checkpoint) throws Exception {
      if (inner instanceof CheckpointedFunction checkpointed) {
        checkpointed.checkpointCompleted(checkpoint);
      }
    }
  }

  static final class FlatMapIterable<T, R> extends Adapter implements FlatMapFunction<T, R> {
    private static final long serialVersionUID = 1L;

    private final FlatMapIterableFunction<T, R> function;

    FlatMapIterable(FlatMapIterableFunction<T, R> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void flatMap(T record, Collector<R> out) throws Exception {
      Iterable<? extends R> results = function.flatMap(record);
      if (results == null) {
        throw new MillraceException(
            ErrorKind.USER,
            "The function of a flatMap returned null. Return an empty list for a record without"
                + " results.");
      }
      for (R result : results) {
        out.emit(result);
      }
    }
  }

  static final class MapRecords<T, R, K> extends Adapter implements ProcessWindowFunction<T, R, K> {
    private static final long serialVersionUID = 1L;

    private final WindowMapFunction<Iterable<T>, R, K> function;

    MapRecords(WindowMapFunction<Iterable<T>, R, K> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void process(K key, Context context, Iterable<T> content, Collector<R> out)
        throws Exception {
      out.emit(function.map(key, context.window(), content));
    }
  }

  static final class MapFolded<V, R, K> extends Adapter implements ProcessWindowFunction<V, R, K> {
    private static final long serialVersionUID = 1L;

    private final WindowMapFunction<V, R, K> function;

    MapFolded(WindowMapFunction<V, R, K> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void process(K key, Context context, Iterable<V> content, Collector<R> out)
        throws Exception {
      out.emit(function.map(key, context.window(), content.iterator().next()));
    }
  }
}
