package io.millrace.dataplane;

import static io.millrace.dataplane.OperationModel.EVENTS;
import static io.millrace.dataplane.OperationModel.byKey;
import static io.millrace.dataplane.OperationModel.byWindow;
import static io.millrace.dataplane.OperationModel.each;
import static io.millrace.dataplane.OperationModel.inOrder;
import static io.millrace.dataplane.OperationModel.ordered;
import static io.millrace.dataplane.OperationModel.tumbling;
import static io.millrace.dataplane.OperationModel.unordered;

import io.millrace.api.custom.OneInputOperator;
import io.millrace.api.custom.OperatorOutput;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Operations of one stream. */
final class StreamModels {
  private static final OutputTag<String> SIDE = new OutputTag<>("side of models");

  private StreamModels() {}

  /** Keeps records in operator state, and emits them at the next watermark. */
  private static final class Holding extends OneInputOperator<Event, String> {
    private static final long serialVersionUID = 1L;
    private final List<Integer> waiting = new ArrayList<>();
    private transient ListState<Integer> kept;

    @Override
    public void open(RuntimeContext context) {
      kept = context.operatorListState(new ListStateDescriptor<>("kept"));
      waiting.addAll(kept.values());
    }

    @Override
    public void process(Event event, Context context, OperatorOutput<String> out) {
      waiting.add(event.id());
    }

    @Override
    public void watermark(long watermark, OperatorOutput<String> out) {
      waiting.forEach(id -> out.emit("held " + id));
      waiting.clear();
      out.emitWatermark(watermark);
    }

    @Override
    public void endInput(OperatorOutput<String> out) {
      watermark(Long.MAX_VALUE, out);
    }

    @Override
    public void snapshotState(long checkpoint) {
      kept.update(waiting);
    }
  }

  private static List<String> copies(Event event) {
    return Collections.nCopies(event.id() % 3, "copy of " + event.id());
  }

  private static List<String> allCopies(List<Event> events) {
    return events.stream().flatMap(event -> copies(event).stream()).toList();
  }

  static Map<String, OperationModel> all() {
    Map<String, OperationModel> models = new LinkedHashMap<>();
    models.put(
        "map",
        each(
            Set.of("DataStream.map"),
            (env, events) -> events.map(event -> "event " + event.id()),
            event -> "event " + event.id()));
    models.put(
        "filter",
        unordered(
            Set.of("DataStream.filter"),
            (env, events) -> events.filter(event -> event.id() % 3 == 0).map(Event::toString),
            events ->
                events.stream()
                    .filter(event -> event.id() % 3 == 0)
                    .map(Event::toString)
                    .toList()));
    models.put(
        "flatMap",
        unordered(
            Set.of("DataStream.flatMap"),
            (env, events) ->
                events
                    .flatMap(
                        (FlatMapFunction<Event, String>)
                            (event, out) -> copies(event).forEach(out::emit))
                    .union(
                        events.flatMap(
                            (FlatMapIterableFunction<Event, String>) StreamModels::copies),
                        events.flatMap(
                            String.class, (event, out) -> copies(event).forEach(out::emit))),
            events ->
                Collections.nCopies(3, allCopies(events)).stream().flatMap(List::stream).toList()));
    models.put(
        "process with a side output",
        unordered(
            Set.of("DataStream.process", "DataStream.sideOutput", "DataStream.union"),
            (env, events) -> {
              ProcessFunction<Event, String> function =
                  (event, context, out) -> {
                    out.emit(event.id() + " at " + context.timestamp());
                    context.output(SIDE, "side " + event.id());
                  };
              var processed = events.process(function);
              return processed
                  .union(processed.sideOutput(SIDE))
                  .union(
                      events.process(
                          String.class, (event, context, out) -> out.emit("again " + event.id())));
            },
            events ->
                events.stream()
                    .flatMap(
                        event ->
                            List.of(
                                event.id() + " at " + event.time(),
                                "side " + event.id(),
                                "again " + event.id())
                                .stream())
                    .toList()));
    models.put(
        "transform",
        each(
            Set.of("DataStream.transform"),
            (env, events) -> events.transform("hold", new Holding()),
            event -> "held " + event.id()));
    models.put(
        "assignTimestampsAndWatermarks",
        unordered(
            Set.of("DataStream.assignTimestampsAndWatermarks"),
            (env, events) ->
                events
                    // Whoever reads which splits: none is as late.
                    .assignTimestampsAndWatermarks(RandomEvents.within(1_000_000))
                    .keyBy(Event::key)
                    .window(tumbling())
                    .process((key, window, found) -> OperationModel.ids(found).toString()),
            events ->
                byKey(events).values().stream()
                    .flatMap(own -> byWindow(own).values().stream())
                    .map(window -> OperationModel.ids(window).toString())
                    .toList()));
    partitionings(models);
    folds(models);
    return models;
  }

  private static void partitionings(Map<String, OperationModel> models) {
    Map<String, CheckpointTest.Program> routed = new LinkedHashMap<>();
    routed.put("rebalance", (env, events) -> events.rebalance().map(Event::toString));
    routed.put("rescale", (env, events) -> events.rescale().map(Event::toString));
    routed.put("shuffle", (env, events) -> events.shuffle().map(Event::toString));
    routed.put("global", (env, events) -> events.global().map(Event::toString));
    routed.put("forward", (env, events) -> events.forward().map(Event::toString));
    routed.put(
        "partitionCustom",
        (env, events) ->
            events
                .partitionCustom((id, partitions) -> id % partitions, Event::id)
                .map(Event::toString));
    routed.forEach(
        (name, program) ->
            models.put(name, each(Set.of("DataStream." + name), program, Event::toString)));
    models.put(
        "broadcast to one",
        each(
            Set.of("DataStream.broadcast"),
            (env, events) -> events.broadcast().map(Event::toString).parallelism(1),
            Event::toString));
  }

  /** Results after each event of a key. */
  private static List<String> running(
      List<Event> own, BiFunction<Event, List<Event>, String> result) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      all.add(result.apply(own.get(i), own.subList(0, i + 1)));
    }
    return all;
  }

  /** Goes up and down over the events of a key. */
  private static long value(Event event) {
    return event.id() * 37L % 101;
  }

  private static long lowest(List<Event> events) {
    return events.stream().mapToLong(StreamModels::value).min().orElseThrow();
  }

  private static long highest(List<Event> events) {
    return events.stream().mapToLong(StreamModels::value).max().orElseThrow();
  }

  private static Event first(List<Event> events, long value) {
    return events.stream().filter(event -> value(event) == value).findFirst().orElseThrow();
  }

  private static String key(Event event) {
    return event.id() / EVENTS + " " + event.key();
  }

  private static void folds(Map<String, OperationModel> models) {
    models.put(
        "count",
        ordered(
            Set.of("DataStream.keyBy", "KeyedStream.count"),
            (env, events) ->
                inOrder(events).count().map(counted -> counted.key() + " " + counted.count()),
            own -> running(own, (event, so) -> key(event) + " " + so.size())));
    models.put(
        "sum",
        ordered(
            Set.of("KeyedStream.sum"),
            (env, events) ->
                inOrder(events).sum(Event::id).map(summed -> summed.key() + " " + summed.sum()),
            own -> running(own, (event, so) -> key(event) + " " + OperationModel.sum(so))));
    models.put(
        "min and max",
        ordered(
            Set.of("KeyedStream.min", "KeyedStream.max"),
            (env, events) ->
                inOrder(events)
                    .min(StreamModels::value)
                    .map(extreme -> extreme.key() + " from " + extreme.value())
                    .union(
                        inOrder(events)
                            .max(StreamModels::value)
                            .map(extreme -> extreme.key() + " to " + extreme.value())),
            own -> {
              List<String> all = running(own, (event, so) -> key(event) + " from " + lowest(so));
              all.addAll(running(own, (event, so) -> key(event) + " to " + highest(so)));
              return all;
            }));
    models.put(
        "minBy and maxBy",
        ordered(
            Set.of("KeyedStream.minBy", "KeyedStream.maxBy"),
            (env, events) ->
                inOrder(events)
                    .minBy(StreamModels::value)
                    .map(event -> "lowest " + event)
                    .union(
                        inOrder(events)
                            .maxBy(StreamModels::value)
                            .map(event -> "highest " + event)),
            own -> {
              List<String> all = running(own, (event, so) -> "lowest " + first(so, lowest(so)));
              all.addAll(running(own, (event, so) -> "highest " + first(so, highest(so))));
              return all;
            }));
    models.put(
        "reduce",
        ordered(
            Set.of("KeyedStream.reduce"),
            (env, events) ->
                inOrder(events)
                    .reduce((left, right) -> left.id() % 7 > right.id() % 7 ? left : right)
                    .map(Event::toString),
            own ->
                running(
                    own,
                    (event, so) ->
                        so.stream()
                            .reduce((a, b) -> a.id() % 7 > b.id() % 7 ? a : b)
                            .orElseThrow()
                            .toString())));
    models.put(
        "aggregate",
        ordered(
            Set.of("KeyedStream.aggregate"),
            (env, events) -> inOrder(events).aggregate(new CheckpointTest.Tallying()),
            own ->
                running(
                    own,
                    (event, so) ->
                        so.size()
                            + " of "
                            + OperationModel.sum(so)
                            + " "
                            + OperationModel.ids(so))));
    models.put(
        "keyed process with state and timers",
        unordered(
            Set.of("KeyedStream.process"),
            (env, events) -> events.keyBy(Event::key).process(new KeyEnds()),
            events ->
                byKey(events).values().stream()
                    .map(own -> "all of " + own.get(0).key() + " " + OperationModel.ids(own))
                    .toList()));
  }

  /** Emits the ids of a key when all input has been read. */
  private static final class KeyEnds extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> ids;

    @Override
    public void open(RuntimeContext context) {
      ids = context.listState(new ListStateDescriptor<>("ids"));
    }

    @Override
    public void process(
        Event event, KeyedProcessFunction.Context<Object> context, Collector<String> out) {
      ids.add(event.id());
      context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out) {
      out.emit("all of " + context.currentKey() + " " + ids.values().stream().sorted().toList());
    }
  }
}
