package io.millrace.dataplane;

import static io.millrace.dataplane.OperationModel.byKey;
import static io.millrace.dataplane.OperationModel.each;
import static io.millrace.dataplane.OperationModel.ids;
import static io.millrace.dataplane.OperationModel.tumbling;
import static io.millrace.dataplane.OperationModel.unordered;
import static io.millrace.dataplane.OperationModel.windowOf;

import io.millrace.api.AsyncDataStream;
import io.millrace.api.DataStream;
import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.async.LookupCache;
import io.millrace.api.custom.OperatorOutput;
import io.millrace.api.custom.TwoInputOperator;
import io.millrace.api.function.Collector;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Operations of two streams: of the events whose id is divisible by three, and of all. */
final class TwoInputModels {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final long END = Long.MAX_VALUE - 1;
  private static final MapStateDescriptor<Integer, String> RULES =
      new MapStateDescriptor<>("rules of models");

  private TwoInputModels() {}

  private static boolean isFirst(Event event) {
    return event.id() % 3 == 0;
  }

  private static DataStream<Event> first(DataStream<Event> events) {
    return events.filter(TwoInputModels::isFirst);
  }

  private static List<Event> first(List<Event> events) {
    return events.stream().filter(TwoInputModels::isFirst).toList();
  }

  /** Both inputs, each event with the number of its input. */
  private static List<String> both(List<Event> events) {
    return Stream.concat(
            first(events).stream().map(event -> "1: " + event.id()),
            events.stream().map(event -> "2: " + event.id()))
        .toList();
  }

  private static final class PassBoth extends TwoInputOperator<Event, Event, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process1(Event event, Context context, OperatorOutput<String> out) {
      out.emit("1: " + event.id());
    }

    @Override
    public void process2(Event event, Context context, OperatorOutput<String> out) {
      out.emit("2: " + event.id());
    }
  }

  private static final class ProcessBoth extends CoProcessFunction<Event, Event, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process1(Event event, CoProcessFunction.Context context, Collector<String> out) {
      out.emit("1: " + event.id());
    }

    @Override
    public void process2(Event event, CoProcessFunction.Context context, Collector<String> out) {
      out.emit("2: " + event.id());
    }
  }

  /** At the end, the ids of a key on both inputs. */
  private static final class Ends extends KeyedCoProcessFunction<Object, Event, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> firsts;
    private transient ListState<Integer> seconds;

    @Override
    public void open(RuntimeContext context) {
      firsts = context.listState(new ListStateDescriptor<>("firsts"));
      seconds = context.listState(new ListStateDescriptor<>("seconds"));
    }

    @Override
    public void process1(
        Event event, KeyedCoProcessFunction.Context<Object> context, Collector<String> out) {
      firsts.add(event.id());
      context.timerService().registerEventTimeTimer(END);
    }

    @Override
    public void process2(
        Event event, KeyedCoProcessFunction.Context<Object> context, Collector<String> out) {
      seconds.add(event.id());
      context.timerService().registerEventTimeTimer(END);
    }

    @Override
    public void onTimer(
        long time, KeyedCoProcessFunction.OnTimerContext<Object> context, Collector<String> out) {
      out.emit(
          firsts.values().stream().sorted().toList()
              + " and "
              + seconds.values().stream().sorted().toList());
    }
  }

  /** At the end, the ids of a key and all rules. */
  private static final class Ruled
      extends KeyedBroadcastProcessFunction<Object, Event, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> ids;

    @Override
    public void open(RuntimeContext context) {
      ids = context.listState(new ListStateDescriptor<>("ids of models"));
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
        Event event, KeyedBroadcastProcessFunction.Context<Object> context, Collector<String> out) {
      context.broadcastState(RULES).put(event.id(), "rule");
    }

    @Override
    public void onTimer(
        long time,
        KeyedBroadcastProcessFunction.OnTimerContext<Object> context,
        Collector<String> out) {
      out.emit(
          ids.values().stream().sorted().toList()
              + " under "
              + new TreeSet<>(context.broadcastState(RULES).entries().keySet()));
    }
  }

  static Map<String, OperationModel> all() {
    Map<String, OperationModel> models = new LinkedHashMap<>();
    connected(models);
    broadcast(models);
    joined(models);
    requests(models);
    return models;
  }

  private static void connected(Map<String, OperationModel> models) {
    models.put(
        "connect: map",
        unordered(
            Set.of("DataStream.connect", "ConnectedStreams.map"),
            (env, events) ->
                first(events)
                    .connect(events)
                    .map(event -> "1: " + event.id(), event -> "2: " + event.id()),
            TwoInputModels::both));
    models.put(
        "connect: flatMap",
        unordered(
            Set.of("ConnectedStreams.flatMap"),
            (env, events) ->
                first(events)
                    .connect(events)
                    .flatMap(
                        event -> List.of("1: " + event.id()), event -> List.of("2: " + event.id())),
            TwoInputModels::both));
    models.put(
        "connect: process",
        unordered(
            Set.of("ConnectedStreams.process"),
            (env, events) -> first(events).connect(events).process(new ProcessBoth()),
            TwoInputModels::both));
    models.put(
        "connect: transform",
        unordered(
            Set.of("ConnectedStreams.transform"),
            (env, events) -> first(events).connect(events).transform("both", new PassBoth()),
            TwoInputModels::both));
    models.put(
        "connect: keys",
        unordered(
            Set.of(
                "ConnectedStreams.keyBy", "KeyedStream.connect", "KeyedConnectedStreams.process"),
            (env, events) ->
                first(events)
                    .connect(events)
                    .keyBy(Event::key, Event::key)
                    .process(new Ends())
                    .union(
                        first(events)
                            .keyBy(Event::key)
                            .connect(events.keyBy(Event::key))
                            .process(new Ends())),
            events ->
                byKey(events).values().stream()
                    .map(own -> ids(first(own)) + " and " + ids(own))
                    .flatMap(line -> Stream.of(line, line))
                    .toList()));
  }

  private static void broadcast(Map<String, OperationModel> models) {
    models.put(
        "rules",
        each(
            Set.of("BroadcastConnectedStream.process"),
            (env, events) ->
                events
                    .connect(
                        events
                            .filter(event -> event.id() < 200 && event.id() % 20 == 0)
                            .broadcast(TwoInputPrograms.RULES))
                    .process(new TwoInputPrograms.Watching()),
            event -> "event " + event.id()));
    models.put(
        "rules for keys",
        unordered(
            Set.of("KeyedBroadcastConnectedStream.process"),
            (env, events) ->
                events
                    .keyBy(Event::key)
                    .connect(events.filter(event -> event.id() % 40 == 0).broadcast(RULES))
                    .process(new Ruled()),
            events -> {
              TreeSet<Integer> rules = new TreeSet<>(ids(events));
              rules.removeIf(id -> id % 40 != 0);
              return byKey(events).values().stream()
                  .map(own -> ids(own) + " under " + rules)
                  .toList();
            }));
  }

  private static String pair(Event first, Event second) {
    return (first == null ? "none" : String.valueOf(first.id()))
        + " and "
        + (second == null ? "none" : String.valueOf(second.id()));
  }

  /** All pairs, and on the outer sides those that have no partner. */
  private static List<String> pairs(
      List<Event> events, BiPredicate<Event, Event> match, boolean leftOuter, boolean rightOuter) {
    List<String> all = new ArrayList<>();
    List<Event> firsts = first(events);
    for (Event left : firsts) {
      List<Event> partners = events.stream().filter(right -> match.test(left, right)).toList();
      partners.forEach(right -> all.add(pair(left, right)));
      if (partners.isEmpty() && leftOuter) {
        all.add(pair(left, null));
      }
    }
    for (Event right : events) {
      if (rightOuter && firsts.stream().noneMatch(left -> match.test(left, right))) {
        all.add(pair(null, right));
      }
    }
    return all;
  }

  private static boolean inOneWindow(Event left, Event right) {
    return Objects.equals(left.key(), right.key()) && windowOf(left).equals(windowOf(right));
  }

  private static boolean inInterval(Event left, Event right, int lower, int upper) {
    long distance = right.time() - left.time();
    return Objects.equals(left.key(), right.key()) && distance >= lower && distance <= upper;
  }

  private static void joined(Map<String, OperationModel> models) {
    Set<String> join =
        Set.of(
            "DataStream.join",
            "JoinedStreams.where",
            "JoinCondition.equalTo",
            "EqualTo.window",
            "WithWindow.apply",
            "WithWindow.allowedLateness",
            "WithWindow.leftOuter",
            "WithWindow.rightOuter",
            "WithWindow.fullOuter");
    for (int outer = 0; outer < 4; outer++) {
      int sides = outer;
      models.put(
          "join of windows, outer sides " + outer,
          unordered(
              join,
              (env, events) -> {
                var windows =
                    first(events)
                        .join(events)
                        .where(Event::key)
                        .equalTo(Event::key)
                        .window(tumbling())
                        .allowedLateness(Duration.ofMillis(1));
                return (switch (sides) {
                      case 0 -> windows;
                      case 1 -> windows.leftOuter();
                      case 2 -> windows.rightOuter();
                      default -> windows.fullOuter();
                    })
                    .apply(TwoInputModels::pair);
              },
              events ->
                  pairs(events, TwoInputModels::inOneWindow, (sides & 1) != 0, (sides & 2) != 0)));
      models.put(
          "interval join, outer sides " + outer,
          unordered(
              Set.of(
                  "KeyedStream.intervalJoin",
                  "IntervalJoin.between",
                  "Between.apply",
                  "Between.leftOuter",
                  "Between.rightOuter",
                  "Between.fullOuter"),
              (env, events) ->
                  TwoInputPrograms.outer(
                          first(events)
                              .keyBy(Event::key)
                              .intervalJoin(events.keyBy(Event::key))
                              .between(Duration.ofMillis(-15), Duration.ofMillis(10)),
                          sides)
                      .apply(TwoInputModels::pair),
              events ->
                  pairs(
                      events,
                      (left, right) -> inInterval(left, right, -15, 10),
                      (sides & 1) != 0,
                      (sides & 2) != 0)));
    }
    models.put(
        "interval join with exclusive bounds and late events apart",
        unordered(
            Set.of(
                "Between.process",
                "Between.lowerBoundExclusive",
                "Between.upperBoundExclusive",
                "Between.sideOutputLeftLateData",
                "Between.sideOutputRightLateData"),
            (env, events) -> {
              var late = new io.millrace.api.process.OutputTag<Event>("late for a join of models");
              DataStream<String> pairs =
                  first(events)
                      .keyBy(Event::key)
                      .intervalJoin(events.keyBy(Event::key))
                      .between(Duration.ofMillis(-15), Duration.ofMillis(10))
                      .lowerBoundExclusive()
                      .upperBoundExclusive()
                      .sideOutputLeftLateData(late)
                      .sideOutputRightLateData(late)
                      .process(
                          String.class,
                          (left, right, context, out) ->
                              out.emit(pair(left, right) + " at " + context.timestamp()));
              return pairs.union(pairs.sideOutput(late).map(event -> "late " + event));
            },
            events -> {
              List<String> all = new ArrayList<>();
              for (Event left : first(events)) {
                for (Event right : events) {
                  if (inInterval(left, right, -14, 9)) {
                    all.add(pair(left, right) + " at " + Math.max(left.time(), right.time()));
                  }
                }
              }
              return all;
            }));
    models.put(
        "groups of windows",
        unordered(
            Set.of("DataStream.coGroup", "CoGroupedStreams.where"),
            (env, events) ->
                first(events)
                    .coGroup(events)
                    .where(Event::key)
                    .equalTo(Event::key)
                    .window(tumbling())
                    .apply(
                        (firsts, seconds, out) -> out.emit(ids(firsts) + " with " + ids(seconds))),
            events ->
                byKey(events).values().stream()
                    .flatMap(own -> OperationModel.byWindow(own).values().stream())
                    .map(window -> ids(first(window)) + " with " + ids(window))
                    .toList()));
  }

  /** Up to two values. */
  private static List<String> values(Object key) {
    int number = Math.floorMod(key.toString().hashCode(), 3);
    return IntStream.range(0, number).mapToObj(i -> key + "/" + i).toList();
  }

  private static final class Values implements AsyncFunction<Object, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletableFuture<List<String>> asyncInvoke(Object key) {
      return CompletableFuture.supplyAsync(() -> values(key), ForkJoinPool.commonPool());
    }
  }

  private static final class Answers implements AsyncFunction<Event, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletableFuture<List<String>> asyncInvoke(Event event) {
      return CompletableFuture.supplyAsync(
          () -> List.of("answer to " + event.id()), ForkJoinPool.commonPool());
    }
  }

  private static void requests(Map<String, OperationModel> models) {
    models.put(
        "lookup join",
        unordered(
            Set.of("DataStream.lookupJoin", "LookupJoin.apply", "LookupJoin.cache"),
            (env, events) ->
                events
                    .lookupJoin(Event::key, TwoInputModels::values)
                    .cache(LookupCache.of(3, Duration.ofMillis(5)))
                    .apply((event, value) -> event.id() + " " + value),
            events ->
                events.stream()
                    .flatMap(
                        event ->
                            values(event.key()).stream().map(value -> event.id() + " " + value))
                    .toList()));
    models.put(
        "lookup join, asynchronous, outer",
        unordered(
            Set.of(
                "DataStream.lookupJoinAsync",
                "LookupJoin.leftOuter",
                "LookupJoin.unordered",
                "LookupJoin.timeout",
                "LookupJoin.capacity",
                "LookupJoin.retry"),
            (env, events) ->
                events
                    .lookupJoinAsync(Event::key, new Values())
                    .timeout(LONG)
                    .capacity(7)
                    .retry(AsyncRetryStrategy.none())
                    .unordered()
                    .leftOuter()
                    .apply((event, value) -> event.id() + " " + value),
            events ->
                events.stream()
                    .flatMap(
                        event -> {
                          List<String> values = values(event.key());
                          return values.isEmpty()
                              ? Stream.of(event.id() + " null")
                              : values.stream().map(value -> event.id() + " " + value);
                        })
                    .toList()));
    models.put(
        "asynchronous requests, in order",
        each(
            Set.of("AsyncDataStream.orderedWait"),
            (env, events) -> AsyncDataStream.orderedWait(events, new Answers(), LONG, 9),
            event -> "answer to " + event.id()));
    models.put(
        "asynchronous requests, in any order",
        each(
            Set.of("AsyncDataStream.unorderedWait"),
            (env, events) -> AsyncDataStream.unorderedWait(events, new Answers(), LONG, 9),
            event -> "answer to " + event.id()));
  }
}
