package io.millrace.api;

import io.millrace.api.function.CoGroupFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatJoinFunction;
import io.millrace.api.function.JoinFunction;
import io.millrace.api.process.ProcessWindowFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Separates the records of a window by stream and calls a function with both lists. */
final class CoGroupWindow<A, B, R, K> extends FunctionAdapters.Adapter
    implements ProcessWindowFunction<JoinInput<A, B>, R, K> {
  private static final long serialVersionUID = 1L;

  private final CoGroupFunction<? super A, ? super B, R> function;

  CoGroupWindow(CoGroupFunction<? super A, ? super B, R> function) {
    super(Objects.requireNonNull(function, "function"));
    this.function = function;
  }

  @Override
  public void process(K key, Context context, Iterable<JoinInput<A, B>> inputs, Collector<R> out)
      throws Exception {
    List<A> first = new ArrayList<>();
    List<B> second = new ArrayList<>();
    for (JoinInput<A, B> input : inputs) {
      if (input.first() != null) {
        first.add(input.first());
      } else {
        second.add(input.second());
      }
    }
    function.coGroup(erased(first), erased(second), out);
  }

  @SuppressWarnings("unchecked") // The function reads only.
  private static <S> Iterable<S> erased(List<? extends S> records) {
    return (Iterable<S>) records;
  }

  /** Joins all records of one list with all of the other. */
  static final class Join<A, B, R> extends FunctionAdapters.Adapter
      implements CoGroupFunction<A, B, R> {
    private static final long serialVersionUID = 1L;

    private final FlatJoinFunction<? super A, ? super B, R> function;
    private final JoinSides outer;

    Join(FlatJoinFunction<? super A, ? super B, R> function, JoinSides outer) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
      this.outer = outer;
    }

    @Override
    public void coGroup(Iterable<A> first, Iterable<B> second, Collector<R> out) throws Exception {
      boolean hasSecond = second.iterator().hasNext();
      boolean hasFirst = false;
      for (A left : first) {
        hasFirst = true;
        for (B right : second) {
          function.join(left, right, out);
        }
        if (!hasSecond && outer.left()) {
          function.join(left, null, out);
        }
      }
      if (!hasFirst && outer.right()) {
        for (B right : second) {
          function.join(null, right, out);
        }
      }
    }
  }

  /** Emits the one result of each pair. */
  static final class EmitJoined<A, B, R> extends FunctionAdapters.Adapter
      implements FlatJoinFunction<A, B, R> {
    private static final long serialVersionUID = 1L;

    private final JoinFunction<? super A, ? super B, ? extends R> function;

    EmitJoined(JoinFunction<? super A, ? super B, ? extends R> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void join(A first, B second, Collector<R> out) throws Exception {
      out.emit(function.join(first, second));
    }
  }
}
