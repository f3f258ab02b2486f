package io.millrace.api;

import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.ProcessAllWindowFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.process.WindowMapFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Adapts functions that return results to functions that emit them. */
final class FunctionAdapters {
  private FunctionAdapters() {}

  /** Whether a function, or the one that it adapts, is a {@link RichFunction}. */
  static boolean isRich(Object function) {
    return function instanceof Adapter adapter
        ? adapter.inner.stream().anyMatch(RichFunction.class::isInstance)
        : function instanceof RichFunction;
  }

  /** Whether a window function, or the one that it adapts, overrides {@code clear}. */
  static boolean hasWindowState(Object function) {
    if (function instanceof Adapter adapter) {
      return adapter.inner.stream().anyMatch(FunctionAdapters::hasWindowState);
    }
    if (function instanceof ProcessWindowFunction<?, ?, ?>) {
      return overridesClear(function, ProcessWindowFunction.class, 2);
    }
    return function instanceof ProcessAllWindowFunction<?, ?>
        && overridesClear(function, ProcessAllWindowFunction.class, 1);
  }

  private static boolean overridesClear(Object function, Class<?> declared, int parameters) {
    for (Method method : function.getClass().getMethods()) {
      if (method.getName().equals("clear")
          && method.getParameterCount() == parameters
          && method.getDeclaringClass() != declared) {
        return true;
      }
    }
    return false;
  }

  /**
   * Calls the adapted functions that are {@link RichFunction}s, and at checkpoints those that are
   * {@link CheckpointedFunction}s.
   */
  abstract static class Adapter implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    private final ArrayList<Serializable> inner;

    Adapter(Serializable... inner) {
      this.inner = new ArrayList<>(List.of(inner));
    }

    @Override
    public final void open(RuntimeContext context) throws Exception {
      for (Serializable each : inner) {
        if (each instanceof RichFunction rich) {
          rich.open(context);
        }
      }
    }

    /** Closes all functions, even if one of them throws. */
    @Override
    public final void close() throws Exception {
      Exception first = null;
      for (Serializable each : inner) {
        try {
          if (each instanceof RichFunction rich) {
            rich.close();
          }
        } catch (Exception e) {
          if (first == null) {
            first = e;
          } else {
            first.addSuppressed(e);
          }
        }
      }
      if (first != null) {
        throw first;
      }
    }

    @Override
    public final void snapshotState(long checkpoint) throws Exception {
      for (Serializable each : inner) {
        if (each instanceof CheckpointedFunction checkpointed) {
          checkpointed.snapshotState(checkpoint);
        }
      }
    }

    @Override
    public final void checkpointCompleted(long checkpoint) throws Exception {
      for (Serializable each : inner) {
        if (each instanceof CheckpointedFunction checkpointed) {
          checkpointed.checkpointCompleted(checkpoint);
        }
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
      emitAll(function.flatMap(record), out);
    }
  }

  private static <R> void emitAll(Iterable<? extends R> results, Collector<R> out) {
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

  static final class CoMap<A, B, R> extends Adapter implements CoMapFunction<A, B, R> {
    private static final long serialVersionUID = 1L;

    private final MapFunction<? super A, ? extends R> first;
    private final MapFunction<? super B, ? extends R> second;

    CoMap(MapFunction<? super A, ? extends R> first, MapFunction<? super B, ? extends R> second) {
      super(
          Objects.requireNonNull(first, "function of the first stream"),
          Objects.requireNonNull(second, "function of the second stream"));
      this.first = first;
      this.second = second;
    }

    @Override
    public R map1(A record) throws Exception {
      return first.map(record);
    }

    @Override
    public R map2(B record) throws Exception {
      return second.map(record);
    }
  }

  static final class CoFlatMap<A, B, R> extends Adapter implements CoFlatMapFunction<A, B, R> {
    private static final long serialVersionUID = 1L;

    private final FlatMapIterableFunction<? super A, R> first;
    private final FlatMapIterableFunction<? super B, R> second;

    CoFlatMap(
        FlatMapIterableFunction<? super A, R> first, FlatMapIterableFunction<? super B, R> second) {
      super(
          Objects.requireNonNull(first, "function of the first stream"),
          Objects.requireNonNull(second, "function of the second stream"));
      this.first = first;
      this.second = second;
    }

    @Override
    public void flatMap1(A record, Collector<R> out) throws Exception {
      emitAll(first.flatMap(record), out);
    }

    @Override
    public void flatMap2(B record, Collector<R> out) throws Exception {
      emitAll(second.flatMap(record), out);
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

  static final class ProcessAll<T, R> extends Adapter
      implements ProcessWindowFunction<T, R, Integer> {
    private static final long serialVersionUID = 1L;

    private final ProcessAllWindowFunction<T, R> function;

    ProcessAll(ProcessAllWindowFunction<T, R> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void process(Integer key, Context context, Iterable<T> content, Collector<R> out)
        throws Exception {
      function.process(context, content, out);
    }

    @Override
    public void clear(Integer key, Context context) throws Exception {
      function.clear(context);
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
