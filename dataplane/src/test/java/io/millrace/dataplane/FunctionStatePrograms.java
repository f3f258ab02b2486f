package io.millrace.dataplane;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Programs with keyed state in each kind of function whose results do not depend on the order. */
final class FunctionStatePrograms {
  private FunctionStatePrograms() {}

  /** Counts calls per key. */
  abstract static class Counting implements RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Integer> calls;

    @Override
    public void open(RuntimeContext context) {
      calls = context.state(new ValueStateDescriptor<>("calls"));
    }

    final int count() {
      calls.update(calls.valueOr(0) + 1);
      return calls.value();
    }

    final int counted() {
      return calls.valueOr(0);
    }
  }

  static final class CountingMap extends Counting implements MapFunction<Event, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(Event event) {
      return event.key() + " #" + count();
    }
  }

  static final class ListingFlatMap implements FlatMapFunction<Event, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> ids;
    private transient ReducingState<Long> sum;

    @Override
    public void open(RuntimeContext context) {
      ids = context.listState(new ListStateDescriptor<>("ids"));
      sum = context.reducingState(new ReducingStateDescriptor<>("sum", Long::sum));
    }

    @Override
    public void flatMap(Event event, Collector<String> out) throws Exception {
      ids.add(event.id());
      sum.add((long) event.id());
      if (ids.values().size() % 5 == 0) {
        long listed = ids.values().stream().mapToLong(id -> id).sum();
        out.emit(event.key() + " of " + ids.values().size() + (sum.value() == listed));
      }
      out.emit("event " + event.id());
    }
  }

  static final class EveryThird extends Counting implements FilterFunction<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean keep(Event event) {
      return count() % 3 == 0;
    }
  }

  static final class Buckets implements ProcessFunction<Event, String> {
    private static final long serialVersionUID = 1L;
    private transient MapState<Integer, Integer> buckets;

    @Override
    public void open(RuntimeContext context) {
      // Long enough that nothing expires in a test: the times are in the checkpoints.
      buckets =
          context.mapState(
              new MapStateDescriptor<Integer, Integer>("buckets")
                  .withTtl(StateTtl.afterWrite(Duration.ofHours(1))));
    }

    @Override
    public void process(Event event, ProcessFunction.Context context, Collector<String> out) {
      int bucket = event.id() % 3;
      buckets.put(bucket, buckets.contains(bucket) ? buckets.get(bucket) + 1 : 1);
      out.emit(event.key() + " " + bucket + " " + buckets.get(bucket));
    }
  }

  record KeyCount(Object key, int count) {}

  static final class CountingReduce extends Counting implements ReduceFunction<KeyCount> {
    private static final long serialVersionUID = 1L;

    @Override
    public KeyCount reduce(KeyCount left, KeyCount right) {
      return new KeyCount(left.key(), count() + 1);
    }
  }

  static final class CountingAggregate extends Counting
      implements AggregateFunction<Event, Integer, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer create() {
      return 0;
    }

    @Override
    public Integer add(Integer accumulator, Event event) {
      count();
      return accumulator + 1;
    }

    @Override
    public String result(Integer accumulator) {
      return accumulator + " are " + counted();
    }
  }

  static final class CountingWindows extends Counting
      implements ProcessWindowFunction<Integer, String, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object key,
        ProcessWindowFunction.Context context,
        Iterable<Integer> sizes,
        Collector<String> out) {
      int number = count();
      sizes.forEach(size -> out.emit(key + " " + context.window() + " " + size + " #" + number));
    }
  }

  /** Its own state, besides that of the window function. */
  static final class Size implements AggregateFunction<Event, Integer, Integer>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Integer> added;

    @Override
    public void open(RuntimeContext context) {
      added = context.state(new ValueStateDescriptor<>("added"));
    }

    @Override
    public Integer create() {
      return 0;
    }

    @Override
    public Integer add(Integer size, Event event) {
      added.update(added.valueOr(0) + 1);
      return size + 1;
    }

    @Override
    public Integer result(Integer size) {
      if (added.value() < size) {
        throw new IllegalStateException("Only " + added.value() + " of " + size + " were added");
      }
      return size;
    }

    @Override
    public Integer merge(Integer left, Integer right) {
      if (added.value() < left + right) {
        throw new IllegalStateException("Less than " + left + " and " + right + " were added");
      }
      return left + right;
    }
  }

  static Map<String, CheckpointTest.Program> all() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put(
        "state of a map", (env, events) -> events.keyBy(Event::key).map(new CountingMap()));
    programs.put(
        "states of a flat map",
        (env, events) ->
            events
                .keyBy(Event::key)
                .flatMap((FlatMapFunction<Event, String>) new ListingFlatMap()));
    programs.put(
        "state of a filter",
        (env, events) ->
            events.keyBy(Event::key).filter(new EveryThird()).map(event -> "kept " + event.key()));
    programs.put(
        "state of a process function",
        (env, events) -> events.keyBy(Event::key).process(new Buckets()));
    programs.put(
        "state of a reduce",
        (env, events) ->
            events
                .map(event -> new KeyCount(event.key(), 1))
                .keyBy(KeyCount::key)
                .reduce(new CountingReduce())
                .map(KeyCount::toString));
    programs.put(
        "state of an aggregate",
        (env, events) -> events.keyBy(Event::key).aggregate(new CountingAggregate()));
    programs.put(
        "state of tumbling windows", windows(new WindowAssigner.Aligned(200, 200, 3, true)));
    programs.put("state of sliding windows", windows(new WindowAssigner.Aligned(300, 70, 5, true)));
    programs.put("state of sessions", windows(new WindowAssigner.Session(60, true)));
    return programs;
  }

  private static CheckpointTest.Program windows(WindowAssigner assigner) {
    return (env, events) ->
        events.keyBy(Event::key).window(assigner).aggregate(new Size(), new CountingWindows());
  }
}
