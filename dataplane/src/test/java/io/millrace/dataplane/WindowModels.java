package io.millrace.dataplane;

import static io.millrace.dataplane.OperationModel.EVENTS;
import static io.millrace.dataplane.OperationModel.byWindow;
import static io.millrace.dataplane.OperationModel.each;
import static io.millrace.dataplane.OperationModel.highest;
import static io.millrace.dataplane.OperationModel.ids;
import static io.millrace.dataplane.OperationModel.inOrder;
import static io.millrace.dataplane.OperationModel.lowest;
import static io.millrace.dataplane.OperationModel.ordered;
import static io.millrace.dataplane.OperationModel.sum;
import static io.millrace.dataplane.OperationModel.tumbling;
import static io.millrace.dataplane.OperationModel.unordered;
import static io.millrace.dataplane.OperationModel.windows;

import io.millrace.api.AllWindowedStream;
import io.millrace.api.DataStream;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.window.ContinuousEventTimeTrigger;
import io.millrace.api.window.ContinuousProcessingTimeTrigger;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.CustomWindows;
import io.millrace.api.window.DeltaEvictor;
import io.millrace.api.window.DeltaTrigger;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.EventTimeTrigger;
import io.millrace.api.window.Evictor;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.ProcessingTimeSessionWindows;
import io.millrace.api.window.ProcessingTimeTrigger;
import io.millrace.api.window.PurgingTrigger;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.SlidingProcessingTimeWindows;
import io.millrace.api.window.TimeEvictor;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.Trigger;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Operations of windows, with every kind of window, trigger and evictor. */
final class WindowModels {
  private static final OutputTag<Event> LATE = new OutputTag<>("late for models");
  private static final ProcessWindowFunction<Event, String, Object> EACH =
      (key, context, found, out) -> found.forEach(event -> out.emit("once " + event.id()));
  private static final ProcessWindowFunction<Event, String, Object> IDS =
      (key, context, found, out) -> out.emit(inOrderOf(found));

  private WindowModels() {}

  private static String inOrderOf(Iterable<Event> events) {
    List<Integer> ids = new ArrayList<>();
    events.forEach(event -> ids.add(event.id()));
    return ids.toString();
  }

  static Map<String, OperationModel> all() {
    Map<String, OperationModel> models = new LinkedHashMap<>();
    folds(models);
    allWindows(models);
    kinds(models);
    counts(models);
    triggers(models);
    evictors(models);
    return models;
  }

  private static void folds(Map<String, OperationModel> models) {
    models.put(
        "windows: count, with late events apart",
        unordered(
            Set.of(
                "KeyedStream.window",
                "WindowedStream.count",
                "WindowedStream.allowedLateness",
                "WindowedStream.sideOutputLateData",
                "TumblingEventTimeWindows"),
            (env, events) -> {
              var counts =
                  events
                      .keyBy(Event::key)
                      .window(tumbling())
                      .allowedLateness(Duration.ofMillis(20))
                      .sideOutputLateData(LATE)
                      .count();
              return counts
                  .map(counted -> counted.key() + " " + counted.count())
                  .union(counts.sideOutput(LATE).map(event -> "late " + event));
            },
            events ->
                OperationModel.byKey(events).values().stream()
                    .flatMap(own -> byWindow(own).values().stream())
                    .map(window -> window.get(0).key() + " " + window.size())
                    .toList()));
    models.put(
        "windows: sum",
        windows(
            Set.of("WindowedStream.sum"),
            all -> all.sum(Event::id).map(summed -> summed.key() + " " + summed.sum()),
            window -> window.get(0).key() + " " + sum(window)));
    models.put(
        "windows: min",
        windows(
            Set.of("WindowedStream.min"),
            all -> all.min(Event::id).map(extreme -> extreme.key() + " " + extreme.value()),
            window -> window.get(0).key() + " " + lowest(window).id()));
    models.put(
        "windows: max",
        windows(
            Set.of("WindowedStream.max"),
            all -> all.max(Event::id).map(extreme -> extreme.key() + " " + extreme.value()),
            window -> window.get(0).key() + " " + highest(window).id()));
    models.put(
        "windows: minBy",
        windows(
            Set.of("WindowedStream.minBy"),
            all -> all.minBy(Event::id).map(Event::toString),
            window -> lowest(window).toString()));
    models.put(
        "windows: maxBy",
        windows(
            Set.of("WindowedStream.maxBy"),
            all -> all.maxBy(Event::id).map(Event::toString),
            window -> highest(window).toString()));
    models.put(
        "windows: reduce",
        windows(
            Set.of("WindowedStream.reduce"),
            all ->
                all.reduce(
                    (left, right) -> left.id() > right.id() ? left : right,
                    (ProcessWindowFunction<Event, String, Object>)
                        (key, context, reduced, out) ->
                            reduced.forEach(
                                event -> out.emit(context.window().start() + " " + event.id()))),
            window -> OperationModel.windowOf(window.get(0)).start() + " " + highest(window).id()));
    models.put(
        "windows: aggregate",
        windows(
            Set.of("WindowedStream.aggregate"),
            all -> all.aggregate(new CheckpointTest.Tallying()),
            window -> window.size() + " of " + sum(window) + " " + ids(window)));
    models.put(
        "windows: process",
        windows(
            Set.of("WindowedStream.process"),
            all -> all.process((key, window, found) -> key + " " + window.end() + ids(found)),
            window ->
                window.get(0).key()
                    + " "
                    + OperationModel.windowOf(window.get(0)).end()
                    + ids(window)));
  }

  private static OperationModel allWindow(
      String method,
      Function<AllWindowedStream<Event>, DataStream<String>> program,
      Function<List<Event>, String> result) {
    return unordered(
        Set.of("DataStream.windowAll", "AllWindowedStream." + method),
        (env, events) -> program.apply(events.windowAll(tumbling())),
        events -> byWindow(events).values().stream().map(result).toList());
  }

  private static void allWindows(Map<String, OperationModel> models) {
    models.put(
        "all: count",
        allWindow("count", all -> all.count().map(n -> "n " + n), found -> "n " + found.size()));
    models.put(
        "all: sum",
        allWindow("sum", all -> all.sum(Event::id).map(n -> "n " + n), found -> "n " + sum(found)));
    models.put(
        "all: min",
        allWindow(
            "min",
            all -> all.min(Event::id).map(n -> "n " + n),
            found -> "n " + lowest(found).id()));
    models.put(
        "all: max",
        allWindow(
            "max",
            all -> all.max(Event::id).map(n -> "n " + n),
            found -> "n " + highest(found).id()));
    models.put(
        "all: minBy",
        allWindow(
            "minBy",
            all -> all.minBy(Event::id).map(Event::toString),
            found -> lowest(found).toString()));
    models.put(
        "all: maxBy",
        allWindow(
            "maxBy",
            all -> all.maxBy(Event::id).map(Event::toString),
            found -> highest(found).toString()));
    models.put(
        "all: reduce",
        allWindow(
            "reduce",
            all -> all.reduce((a, b) -> a.id() > b.id() ? a : b).map(Event::toString),
            found -> highest(found).toString()));
    models.put(
        "all: aggregate",
        allWindow(
            "aggregate",
            all -> all.aggregate(new CheckpointTest.Tallying()),
            found -> found.size() + " of " + sum(found) + " " + ids(found)));
    models.put(
        "all: process",
        allWindow(
            "process",
            all ->
                all.process(String.class, (context, found, out) -> out.emit(ids(found).toString())),
            found -> ids(found).toString()));
    models.put(
        "all: with trigger, evictor, lateness and late events apart",
        unordered(
            Set.of(
                "AllWindowedStream.trigger",
                "AllWindowedStream.evictor",
                "AllWindowedStream.allowedLateness",
                "AllWindowedStream.sideOutputLateData"),
            (env, events) -> {
              var found =
                  events
                      .windowAll(tumbling())
                      .trigger(EventTimeTrigger.create())
                      .evictor(CountEvictor.of(1_000_000))
                      .allowedLateness(Duration.ofMillis(20))
                      .sideOutputLateData(LATE)
                      .process(String.class, (context, all, out) -> out.emit(ids(all).toString()));
              return found.union(found.sideOutput(LATE).map(event -> "late " + event));
            },
            events ->
                byWindow(events).values().stream().map(window -> ids(window).toString()).toList()));
    models.put(
        "all: count windows",
        unordered(
            Set.of("DataStream.countWindowAll"),
            (env, events) -> events.countWindowAll(7).count().map(n -> "seven " + n),
            events -> java.util.Collections.nCopies(events.size() / 7, "seven 7")));
  }

  /** A kind of window in processing time, which has each event as often. */
  private static OperationModel processingTime(String kind, WindowAssigner assigner) {
    return each(
        Set.of(kind),
        (env, events) -> events.keyBy(Event::key).window(assigner).process(EACH),
        event -> "once " + event.id());
  }

  private static void kinds(Map<String, OperationModel> models) {
    models.put(
        "sliding windows",
        unordered(
            Set.of("SlidingEventTimeWindows"),
            (env, events) ->
                events
                    .keyBy(Event::key)
                    .window(
                        SlidingEventTimeWindows.of(Duration.ofMillis(200), Duration.ofMillis(80)))
                    .process((key, window, found) -> key + " " + window.start() + ids(found)),
            events -> {
              List<String> all = new ArrayList<>();
              OperationModel.byKey(events).values().forEach(own -> all.addAll(sliding(own)));
              return all;
            }));
    models.put(
        "sessions",
        unordered(
            Set.of("EventTimeSessionWindows"),
            (env, events) ->
                events
                    .keyBy(Event::key)
                    .window(EventTimeSessionWindows.withGap(Duration.ofMillis(12)))
                    .process((key, window, found) -> key + " " + window.end() + ids(found)),
            events -> {
              List<String> all = new ArrayList<>();
              OperationModel.byKey(events).values().forEach(own -> all.addAll(sessions(own)));
              return all;
            }));
    models.put(
        "windows of the program's own kind",
        each(
            Set.of("CustomWindows"),
            (env, events) ->
                events
                    .keyBy(Event::key)
                    .window(
                        CustomWindows.ofEventTime(
                            (Event event, long time) ->
                                List.of(new TimeWindow(time, time + 1 + event.id() % 5))))
                    .process(EACH),
            event -> "once " + event.id()));
    models.put(
        "tumbling in processing time",
        processingTime(
            "TumblingProcessingTimeWindows",
            TumblingProcessingTimeWindows.of(Duration.ofMillis(20))));
    models.put(
        "sliding in processing time",
        processingTime(
            "SlidingProcessingTimeWindows",
            SlidingProcessingTimeWindows.of(Duration.ofMillis(20), Duration.ofMillis(20))));
    models.put(
        "sessions in processing time",
        processingTime(
            "ProcessingTimeSessionWindows",
            ProcessingTimeSessionWindows.withGap(Duration.ofMillis(15))));
  }

  private static List<String> sliding(List<Event> own) {
    List<String> all = new ArrayList<>();
    for (long start = 0; start < 5_000; start += 80) {
      long from = start;
      List<Event> in =
          own.stream().filter(event -> event.time() >= from && event.time() < from + 200).toList();
      if (!in.isEmpty()) {
        all.add(own.get(0).key() + " " + start + ids(in));
      }
    }
    return all;
  }

  private static List<String> sessions(List<Event> own) {
    List<Event> sorted = new ArrayList<>(own);
    sorted.sort(Comparator.comparingLong(Event::time));
    List<String> all = new ArrayList<>();
    List<Event> open = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      open.add(sorted.get(i));
      long end = sorted.get(i).time() + 12;
      if (i == sorted.size() - 1 || sorted.get(i + 1).time() > end) {
        all.add(own.get(0).key() + " " + end + ids(open));
        open.clear();
      }
    }
    return all;
  }

  private static void counts(Map<String, OperationModel> models) {
    models.put(
        "count windows",
        ordered(
            Set.of("KeyedStream.countWindow"),
            (env, events) ->
                inOrder(events)
                    .countWindow(4)
                    .process((key, window, found) -> inOrderOf(found))
                    .union(
                        inOrder(events)
                            .countWindow(5, 2)
                            .process((key, window, found) -> inOrderOf(found))),
            own -> {
              List<String> all = new ArrayList<>();
              for (int end = 4; end <= own.size(); end += 4) {
                all.add(inOrderOf(own.subList(end - 4, end)));
              }
              for (int end = 2; end <= own.size(); end += 2) {
                all.add(inOrderOf(own.subList(Math.max(0, end - 5), end)));
              }
              return all;
            }));
  }

  private static OperationModel purging(
      String kind, WindowAssigner assigner, Trigger<Event> trigger) {
    return each(
        Set.of("WindowedStream.trigger", "PurgingTrigger", kind),
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(assigner)
                .trigger(PurgingTrigger.of(trigger))
                .process(EACH),
        event -> "once " + event.id());
  }

  @SuppressWarnings("unchecked") // Triggers of times do not look at records.
  private static Trigger<Event> ofAny(Trigger<?> trigger) {
    return (Trigger<Event>) trigger;
  }

  private static void triggers(Map<String, OperationModel> models) {
    models.put(
        "trigger: event time",
        purging("EventTimeTrigger", tumbling(), ofAny(EventTimeTrigger.create())));
    models.put(
        "trigger: processing time",
        purging(
            "ProcessingTimeTrigger",
            TumblingProcessingTimeWindows.of(Duration.ofMillis(20)),
            ofAny(ProcessingTimeTrigger.create())));
    models.put(
        "trigger: continuous in event time",
        purging(
            "ContinuousEventTimeTrigger",
            tumbling(),
            ofAny(ContinuousEventTimeTrigger.of(Duration.ofMillis(40)))));
    models.put(
        "trigger: continuous in processing time",
        purging(
            "ContinuousProcessingTimeTrigger",
            GlobalWindows.create(),
            ofAny(ContinuousProcessingTimeTrigger.of(Duration.ofMillis(10)))));
    models.put(
        "trigger: count",
        ordered(
            Set.of("CountTrigger", "GlobalWindows"),
            (env, events) ->
                inOrder(events)
                    .window(GlobalWindows.create())
                    .trigger(PurgingTrigger.of(ofAny(CountTrigger.of(3))))
                    .process(IDS),
            own -> {
              List<String> all = new ArrayList<>();
              for (int end = 3; end <= own.size(); end += 3) {
                all.add(inOrderOf(own.subList(end - 3, end)));
              }
              return all;
            }));
    models.put(
        "trigger: delta",
        ordered(
            Set.of("DeltaTrigger"),
            (env, events) ->
                inOrder(events)
                    .window(GlobalWindows.create())
                    .trigger(
                        PurgingTrigger.of(
                            DeltaTrigger.of(30, (Event a, Event b) -> b.id() - a.id())))
                    .process(IDS),
            own -> {
              List<String> all = new ArrayList<>();
              List<Event> open = new ArrayList<>();
              Event last = own.get(0);
              for (Event event : own) {
                open.add(event);
                if (event.id() - last.id() > 30) {
                  all.add(inOrderOf(open));
                  open.clear();
                  last = event;
                }
              }
              return all;
            }));
  }

  /** Every fourth event of a key fires; the evictor has removed events before or after that. */
  private static OperationModel evicting(
      String kind, Evictor<Event> evictor, boolean after, Consumer<List<Event>> model) {
    return ordered(
        Set.of("WindowedStream.evictor", kind),
        (env, events) ->
            inOrder(events)
                .window(GlobalWindows.create())
                .trigger(CountTrigger.of(4))
                .evictor(evictor)
                .process(IDS),
        own -> {
          List<String> all = new ArrayList<>();
          List<Event> kept = new ArrayList<>();
          for (int i = 0; i < own.size(); i++) {
            kept.add(own.get(i));
            if (i % 4 == 3) {
              if (!after) {
                model.accept(kept);
              }
              all.add(inOrderOf(kept));
              if (after) {
                model.accept(kept);
              }
            }
          }
          return all;
        });
  }

  private static void evictors(Map<String, OperationModel> models) {
    Consumer<List<Event>> lastThree = kept -> kept.subList(0, Math.max(0, kept.size() - 3)).clear();
    models.put("evictor: count", evicting("CountEvictor", CountEvictor.of(3), false, lastThree));
    models.put(
        "evictor: count, after the function",
        evicting("CountEvictor", CountEvictor.of(3, true), true, lastThree));
    models.put(
        "evictor: time",
        evicting(
            "TimeEvictor",
            TimeEvictor.of(Duration.ofMillis(40)),
            false,
            kept -> {
              long newest = kept.stream().mapToLong(Event::time).max().orElseThrow();
              kept.removeIf(event -> event.time() < newest - 40);
            }));
    models.put(
        "evictor: delta",
        evicting(
            "DeltaEvictor",
            DeltaEvictor.of(EVENTS / 8.0, (Event a, Event b) -> b.id() - a.id()),
            false,
            kept -> {
              Event last = kept.get(kept.size() - 1);
              kept.removeIf(event -> last.id() - event.id() >= EVENTS / 8.0);
            }));
  }
}
