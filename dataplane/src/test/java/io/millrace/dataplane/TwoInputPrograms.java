package io.millrace.dataplane;

import io.millrace.api.DataStream;
import io.millrace.api.IntervalJoin;
import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Programs with two inputs whose results do not depend on the order in which records of the two
 * inputs meet.
 */
final class TwoInputPrograms {
  static final OutputTag<String> SIDE = new OutputTag<>("side of two");

  static final MapStateDescriptor<Integer, String> RULES = new MapStateDescriptor<>("rules");
  private static final MapStateDescriptor<Integer, Long> TIMES = new MapStateDescriptor<>("times");
  private static final long END = Long.MAX_VALUE - 1;

  private TwoInputPrograms() {}

  /** Pairs the counts of both inputs of a key in each 100 ms of event time. */
  static final class Buckets extends KeyedCoProcessFunction<Object, Event, String, String> {
    private static final long serialVersionUID = 1L;
    private transient ListState<Event> first;
    private transient ListState<String> second;

    @Override
    public void open(RuntimeContext context) {
      first = context.listState(new ListStateDescriptor<>("first"));
      second = context.listState(new ListStateDescriptor<>("second"));
    }

    static long bucket(long time) {
      return Math.floorDiv(time, 100) * 100 + 99;
    }

    @Override
    public void process1(
        Event event, KeyedCoProcessFunction.Context<Object> context, Collector<String> out) {
      first.add(event);
      context.timerService().registerEventTimeTimer(bucket(event.time()));
      context.output(SIDE, "side " + event.id());
    }

    /**
     * @param text key, id and time
     */
    @Override
    public void process2(
        String text, KeyedCoProcessFunction.Context<Object> context, Collector<String> out) {
      second.add(text);
      context.timerService().registerEventTimeTimer(bucket(context.timestamp()));
    }

    @Override
    public void onTimer(
        long time, KeyedCoProcessFunction.OnTimerContext<Object> context, Collector<String> out) {
      List<Integer> events = new ArrayList<>();
      List<Event> later = new ArrayList<>();
      first.values().forEach(event -> add(event, time, events, later));
      first.update(later);
      List<Integer> texts = new ArrayList<>();
      List<String> laterTexts = new ArrayList<>();
      for (String text : second.values()) {
        String[] parts = text.split("@");
        if (bucket(Long.parseLong(parts[2])) == time) {
          texts.add(Integer.valueOf(parts[1]));
        } else {
          laterTexts.add(text);
        }
      }
      second.update(laterTexts);
      out.emit(line(context.currentKey(), time, events, texts));
    }

    private static void add(Event event, long time, List<Integer> now, List<Event> later) {
      if (bucket(event.time()) == time) {
        now.add(event.id());
      } else {
        later.add(event);
      }
    }
  }

  static String line(Object key, long time, List<Integer> first, List<Integer> second) {
    return key
        + " until "
        + time
        + " "
        + first.stream().sorted().toList()
        + second.stream().sorted().toList();
  }

  /** The text that the second input of {@link Buckets} gets for an event. */
  static String text(Event event) {
    return event.key() + "@" + event.id() + "@" + event.time();
  }

  /** The key of such a text, of the class that keys of events have. */
  static Object keyOf(String text, Object example) {
    String key = text.substring(0, text.indexOf('@'));
    return example instanceof Long
        ? (Object) Long.valueOf(key)
        : example instanceof Integer ? (Object) Integer.valueOf(key) : key;
  }

  /** Counts the records of both inputs of a key in one keyed state. */
  static final class Counting implements CoFlatMapFunction<Event, Event, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Integer> count;

    @Override
    public void open(RuntimeContext context) {
      count = context.state(new ValueStateDescriptor<>("count"));
    }

    @Override
    public void flatMap1(Event event, Collector<String> out) {
      count(event, out);
    }

    @Override
    public void flatMap2(Event event, Collector<String> out) {
      count(event, out);
    }

    private void count(Event event, Collector<String> out) {
      int now = count.value() == null ? 1 : count.value() + 1;
      count.update(now);
      out.emit(event.key() + " #" + now);
    }
  }

  /** At the end each key has all rules, and the events that it has kept. */
  static final class Ruled extends KeyedBroadcastProcessFunction<Object, Event, Event, String> {
    private static final long serialVersionUID = 1L;
    private static final ListStateDescriptor<Integer> IDS = new ListStateDescriptor<>("ids");
    private transient ListState<Integer> ids;

    @Override
    public void open(RuntimeContext context) {
      ids = context.listState(IDS);
    }

    @Override
    public void process(
        Event event,
        KeyedBroadcastProcessFunction.ReadOnlyContext<Object> context,
        Collector<String> out) {
      ids.add(event.id());
      context.timerService().registerEventTimeTimer(END);
    }

    @Override
    public void processBroadcast(
        Event event, KeyedBroadcastProcessFunction.Context<Object> context, Collector<String> out)
        throws Exception {
      context.broadcastState(RULES).put(event.id(), "rule " + event.id());
      context.broadcastState(TIMES).put(event.id() % 7, -1L);
      context.broadcastState(TIMES).remove(event.id() % 7);
      context.broadcastState(TIMES).put(event.id(), event.time());
      // Each visit replaces the list by one with the same elements in order.
      context.applyToKeyedState(
          IDS, (key, kept) -> kept.update(kept.values().stream().sorted().toList()));
    }

    @Override
    public void onTimer(
        long time,
        KeyedBroadcastProcessFunction.OnTimerContext<Object> context,
        Collector<String> out) {
      out.emit(
          context.currentKey()
              + " has "
              + ids.values().stream().sorted().toList()
              + " under "
              + new TreeMap<>(context.broadcastState(RULES).entries())
              + new TreeMap<>(context.broadcastState(TIMES).entries()));
    }
  }

  /** Emits each event once, and counts broadcast events in the state of every subtask. */
  static final class Watching extends BroadcastProcessFunction<Event, Event, String>
      implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> seen;
    private int last;

    @Override
    public void open(RuntimeContext context) {
      seen = context.unionListState(new ListStateDescriptor<>("seen"));
    }

    @Override
    public void process(
        Event event, BroadcastProcessFunction.ReadOnlyContext context, Collector<String> out) {
      // A subtask that has a rule has all rules before it, in the order of the broadcast.
      Map<Integer, String> rules = context.broadcastState(RULES).entries();
      int before = -1;
      for (int rule : rules.keySet()) {
        if (rule < before) {
          throw new IllegalStateException(rules.keySet() + " is not in order");
        }
        before = rule;
      }
      out.emit("event " + event.id());
    }

    @Override
    public void processBroadcast(
        Event event, BroadcastProcessFunction.Context context, Collector<String> out) {
      if (context.broadcastState(RULES).contains(event.id())) {
        throw new IllegalStateException("Rule " + event.id() + " came twice");
      }
      context.broadcastState(RULES).put(event.id(), "rule");
      last = event.id();
    }

    @Override
    public void snapshotState(long checkpoint) {
      seen.update(List.of(last));
    }
  }

  static Map<String, CheckpointTest.Program> all() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put(
        "connected: co-map",
        (env, events) ->
            events
                .filter(event -> event.id() % 3 == 0)
                .connect(events.rebalance().map(TwoInputPrograms::text))
                .map(event -> "first " + event.id(), text -> "second " + text));
    programs.put(
        "connected: keyed co-flatMap",
        (env, events) ->
            events
                .filter(event -> event.id() % 3 == 0)
                .keyBy(Event::key)
                .connect(events.keyBy(Event::key))
                .flatMap(new Counting()));
    programs.put(
        "connected: the same stream twice",
        (env, events) ->
            events.connect(events).keyBy(Event::key, Event::key).flatMap(new Counting()));
    programs.put(
        "connected: keyed co-process with timers",
        (env, events) -> {
          DataStream<String> main =
              events
                  .filter(event -> event.id() % 3 != 0)
                  .keyBy(event -> event.key().toString())
                  .connect(
                      events
                          .map(TwoInputPrograms::text)
                          .keyBy(text -> text.substring(0, text.indexOf('@'))))
                  .process(new Buckets());
          return main.union(main.sideOutput(SIDE));
        });
    programs.put(
        "connected: rules for keys",
        (env, events) ->
            events
                .keyBy(Event::key)
                .connect(events.filter(event -> event.id() % 40 == 0).broadcast(RULES, TIMES))
                .process(new Ruled()));
    programs.put(
        "connected: rules without keys",
        (env, events) ->
            events
                .connect(
                    events
                        .filter(event -> event.id() < 300 && event.id() % 20 == 0)
                        .broadcast(RULES))
                .process(new Watching()));
    programs.put(
        "joined: windows",
        (env, events) ->
            events
                .filter(event -> event.id() % 3 == 0)
                .join(events)
                .where(Event::key)
                .equalTo(Event::key)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                .fullOuter()
                .apply(TwoInputPrograms::pair));
    programs.put(
        "joined: sessions in groups",
        (env, events) ->
            events
                .filter(event -> event.id() % 3 == 0)
                .coGroup(events.filter(event -> event.id() % 3 != 0))
                .where(Event::key)
                .equalTo(Event::key)
                .window(EventTimeSessionWindows.withGap(Duration.ofMillis(30)))
                .apply(TwoInputPrograms::groups));
    programs.put("joined: interval", interval(-40, 25, 0));
    programs.put("joined: interval after, left outer", interval(10, 60, 1));
    programs.put("joined: interval before, full outer", interval(-50, -5, 3));
    return programs;
  }

  private static String pair(Event first, Event second) {
    return (first == null ? "none" : String.valueOf(first.id()))
        + " and "
        + (second == null ? "none" : String.valueOf(second.id()));
  }

  private static void groups(Iterable<Event> first, Iterable<Event> second, Collector<String> out) {
    List<Integer> ids = new ArrayList<>();
    first.forEach(event -> ids.add(event.id()));
    second.forEach(event -> ids.add(-event.id()));
    ids.sort(null);
    out.emit(ids.toString());
  }

  /**
   * @param outer bit 0 for the left side, bit 1 for the right side
   */
  private static CheckpointTest.Program interval(int lower, int upper, int outer) {
    return (env, events) -> {
      IntervalJoin<Event, Event, Object>.Between join =
          events
              .filter(event -> event.id() % 3 == 0)
              .keyBy(Event::key)
              .intervalJoin(events.keyBy(Event::key))
              .between(Duration.ofMillis(lower), Duration.ofMillis(upper));
      return outer(join, outer).apply(TwoInputPrograms::pair);
    };
  }

  static <A, B, K> IntervalJoin<A, B, K>.Between outer(
      IntervalJoin<A, B, K>.Between join, int outer) {
    return switch (outer) {
      case 0 -> join;
      case 1 -> join.leftOuter();
      case 2 -> join.rightOuter();
      default -> join.fullOuter();
    };
  }
}
