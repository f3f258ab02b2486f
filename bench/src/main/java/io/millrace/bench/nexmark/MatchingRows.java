package io.millrace.bench.nexmark;

import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import java.io.Serializable;
import java.util.function.BiFunction;

/**
 * Joins the one row of a key with all rows of the other stream, in whatever order they arrive. Rows
 * that came before the one row wait for it. All state of a key is dropped when event time is {@link
 * #RETENTION} beyond the first row of the key.
 *
 * @param <A> the one row of a key
 * @param <B> the other rows
 */
final class MatchingRows<A extends NexmarkEvent, B extends NexmarkEvent, R>
    extends KeyedCoProcessFunction<Long, A, B, R> {
  private static final long serialVersionUID = 1L;

  /** In milliseconds; a million events of {@link NexmarkSettings#unbounded}. */
  static final long RETENTION = 10_000;

  interface Join<A, B, R> extends BiFunction<A, B, R>, Serializable {}

  private final Join<A, B, R> join;
  private transient ValueState<A> one;
  private transient ListState<B> waiting;

  MatchingRows(Join<A, B, R> join) {
    this.join = join;
  }

  @Override
  public void open(RuntimeContext context) {
    one = context.state(new ValueStateDescriptor<>("one"));
    waiting = context.listState(new ListStateDescriptor<>("waiting"));
  }

  @Override
  public void process1(A row, Context<Long> context, Collector<R> out) {
    one.update(row);
    for (B other : waiting.values()) {
      out.emit(join.apply(row, other));
    }
    waiting.clear();
    context.timerService().registerEventTimeTimer(row.dateTime + RETENTION);
  }

  @Override
  public void process2(B row, Context<Long> context, Collector<R> out) {
    A known = one.value();
    if (known != null) {
      out.emit(join.apply(known, row));
    } else {
      waiting.add(row);
      context.timerService().registerEventTimeTimer(row.dateTime + RETENTION);
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext<Long> context, Collector<R> out) {
    one.clear();
    waiting.clear();
  }
}
