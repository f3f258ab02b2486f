package com.example;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.sink.StatefulSink;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The program whose savepoints each release stores under {@code state-samples}: it has all kinds of
 * keyed state, timers, windows, operator state, a source with positions and a sink with state and
 * committables. Argument: records per second. All results come at the end of the input, so that
 * they do not depend on the position of the savepoint.
 *
 * <p>Its classes, names and uids must not change: samples of earlier releases refer to them.
 */
public final class StateSample {
  /** The number of records in all. */
  public static final int RECORDS = 2000;

  /** Results of the run in this process. */
  public static final Queue<String> RESULTS = new ConcurrentLinkedQueue<>();

  private static final long LATER_MILLIS = 1_000_000_000L;

  private StateSample() {}

  /** An enum in state. */
  public enum Kind {
    SMALL,
    MEDIUM,
    LARGE;

    /** The kind of the event with this number. */
    public static Kind of(long index) {
      return index % 3 == 0 ? SMALL : index % 3 == 1 ? MEDIUM : LARGE;
    }
  }

  /** A record in state. */
  public record Event(String key, long number, Kind kind, List<String> tags)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    static Event of(long index) {
      return new Event(
          "key-" + index % 7, index, Kind.of(index), List.of("even-" + (index % 2 == 0)));
    }
  }

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    DataStream<Event> events =
        env.generate(
                GeneratorSource.of(Event::of).count(RECORDS).perSecond(Double.parseDouble(args[0])))
            .uid("events")
            .parallelism(1)
            .assignTimestampsAndWatermarks(
                WatermarkStrategy.<Event>forMonotonousTimestamps()
                    .withTimestampAssigner((event, before) -> event.number() * 100))
            .parallelism(1);
    events.keyBy(Event::key).process(new AllStates()).uid("states").sinkTo(new Results());
    events
        .keyBy(Event::key)
        .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
        .aggregate(new SumOfNumbers(), (key, window, sum) -> "tumbling " + key + " " + sum)
        .uid("tumbling")
        .sinkTo(new Results());
    events
        .keyBy(Event::key)
        .window(SlidingEventTimeWindows.of(Duration.ofHours(1), Duration.ofMinutes(30)))
        .aggregate(new SumOfNumbers(), (key, window, sum) -> "sliding " + key + " " + sum)
        .uid("sliding")
        .sinkTo(new Results());
    events
        .keyBy(Event::key)
        .window(EventTimeSessionWindows.withGap(Duration.ofHours(1)))
        .process((key, window, all) -> "session " + key + " " + size(all))
        .uid("session")
        .sinkTo(new Results());
    events
        .map(new OperatorStates())
        .uid("operator-states")
        .parallelism(1)
        .sinkTo(new Totals())
        .uid("totals")
        .parallelism(1);
    env.execute("state sample");
  }

  private static int size(Iterable<?> elements) {
    int size = 0;
    for (Iterator<?> left = elements.iterator(); left.hasNext(); left.next()) {
      size++;
    }
    return size;
  }

  private static final class SumOfNumbers implements AggregateFunction<Event, long[], Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] sum, Event event) {
      return new long[] {sum[0] + event.number()};
    }

    @Override
    public Long result(long[] sum) {
      return sum[0];
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      return new long[] {left[0] + right[0]};
    }
  }

  /** All kinds of keyed state, and timers that fire at the end. */
  private static final class AllStates extends KeyedProcessFunction<String, Event, String> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Event> last;
    private transient ValueState<Long> expiring;
    private transient ListState<Event> thousands;
    private transient MapState<Kind, Long> kinds;
    private transient ReducingState<Long> greatest;
    private transient AggregatingState<Event, Long> sum;

    @Override
    public void open(RuntimeContext context) {
      last = context.state(new ValueStateDescriptor<>("last"));
      expiring =
          context.state(
              new ValueStateDescriptor<Long>("expiring")
                  .withTtl(StateTtl.afterWrite(Duration.ofDays(36_500))));
      thousands = context.listState(new ListStateDescriptor<>("thousands"));
      kinds = context.mapState(new MapStateDescriptor<>("kinds"));
      greatest = context.reducingState(new ReducingStateDescriptor<>("greatest", Math::max));
      sum = context.aggregatingState(new AggregatingStateDescriptor<>("sum", new SumOfNumbers()));
    }

    @Override
    public void process(Event event, Context<String> context, Collector<String> out)
        throws Exception {
      context.timerService().registerEventTimeTimer(LATER_MILLIS);
      last.update(event);
      expiring.update(expiring.value() == null ? 1 : expiring.value() + 1);
      if (event.number() % 100 == 0) {
        thousands.add(event);
      }
      Long before = kinds.get(event.kind());
      kinds.put(event.kind(), before == null ? 1 : before + 1);
      greatest.add(event.number());
      sum.add(event);
    }

    @Override
    public void onTimer(long time, OnTimerContext<String> context, Collector<String> out)
        throws Exception {
      out.emit(
          "states "
              + context.currentKey()
              + " "
              + last.value().number()
              + " "
              + expiring.value()
              + " "
              + thousands.values().stream().map(Event::number).toList()
              + " "
              + new TreeMap<>(kinds.entries())
              + " "
              + greatest.value()
              + " "
              + sum.value());
    }
  }

  /** All kinds of operator state. */
  private static final class OperatorStates
      implements MapFunction<Event, Event>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    private transient ListState<Long> split;
    private transient ListState<Event> union;
    private transient MapState<String, Long> broadcast;
    private transient List<Long> hundreds;

    @Override
    public void open(RuntimeContext context) {
      split = context.operatorListState(new ListStateDescriptor<>("split"));
      union = context.unionListState(new ListStateDescriptor<>("union"));
      broadcast = context.broadcastState(new MapStateDescriptor<>("broadcast"));
      hundreds = new ArrayList<>(split.values());
    }

    @Override
    public Event map(Event event) {
      if (event.number() % 100 == 0) {
        hundreds.add(event.number());
        union.add(event);
        broadcast.put("last", event.number());
      }
      if (event.number() == RECORDS - 1) {
        RESULTS.add(
            "operator "
                + hundreds
                + " "
                + union.values().stream().map(Event::number).toList()
                + " "
                + broadcast.entries());
      }
      return event;
    }

    @Override
    public void snapshotState(long checkpoint) {
      split.update(hundreds);
    }
  }

  /** Adds lines to the results of this process. */
  private static final class Results implements Sink<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<String> createWriter(SinkContext context) {
      return RESULTS::add;
    }
  }

  /** Counts records: in its state all of them, in each committable those since the last. */
  private static final class Totals
      implements CommittingSink<Event, Long>, StatefulSink<Event, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Writer createWriter(SinkContext context) {
      return new Writer(0);
    }

    @Override
    public Writer restoreWriter(SinkContext context, List<Long> state) {
      return new Writer(state.stream().mapToLong(Long::longValue).sum());
    }

    @Override
    public Committer<Long> createCommitter(SinkContext context) {
      return committables -> {};
    }
  }

  private static final class Writer
      implements CommittingSinkWriter<Event, Long>, StatefulSinkWriter<Event, Long> {
    private long total;
    private long uncommitted;

    Writer(long total) {
      this.total = total;
    }

    @Override
    public void write(Event event) {
      total++;
      uncommitted++;
    }

    @Override
    public void flush(boolean endOfInput) {
      if (endOfInput) {
        RESULTS.add("total " + total);
      }
    }

    @Override
    public List<Long> prepareCommit() {
      List<Long> committables = List.of(uncommitted);
      uncommitted = 0;
      return committables;
    }

    @Override
    public List<Long> snapshot(long checkpoint) {
      return List.of(total);
    }
  }
}
