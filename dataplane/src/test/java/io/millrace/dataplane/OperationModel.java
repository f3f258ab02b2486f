package io.millrace.dataplane;

import io.millrace.api.DataStream;
import io.millrace.api.KeyedStream;
import io.millrace.api.WindowedStream;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A program with an operation of streams, and what the operation has to deliver, computed naively
 * from all events at once.
 *
 * @param operations as {@code Class.method}, and classes of windows, triggers and evictors
 * @param needsOrder whether the results depend on the order of the events of a split
 * @param results from the events of each split
 */
record OperationModel(
    Set<String> operations,
    boolean needsOrder,
    CheckpointTest.Program program,
    Function<List<List<Event>>, List<String>> results) {
  /** The events of a split. */
  static final int EVENTS = 300;

  static final int SIZE = 150;

  /** An operation whose results do not depend on the order of events. */
  static OperationModel unordered(
      Set<String> operations,
      CheckpointTest.Program program,
      Function<List<Event>, List<String>> results) {
    return new OperationModel(
        operations,
        false,
        program,
        splits -> results.apply(splits.stream().flatMap(List::stream).toList()));
  }

  /** Each event is a string of its own. */
  static OperationModel each(
      Set<String> operations, CheckpointTest.Program program, Function<Event, String> result) {
    return unordered(operations, program, events -> events.stream().map(result).toList());
  }

  /** The keys {@link #inOrder} of each split see their events in order. */
  static OperationModel ordered(
      Set<String> operations,
      CheckpointTest.Program program,
      Function<List<Event>, List<String>> resultsOfKey) {
    return new OperationModel(
        operations,
        true,
        program,
        splits ->
            splits.stream()
                .flatMap(split -> byKey(split).values().stream())
                .flatMap(own -> resultsOfKey.apply(own).stream())
                .toList());
  }

  /** Windows of {@link #SIZE} of each key. */
  static OperationModel windows(
      Set<String> operations,
      Function<WindowedStream<Event, Object>, DataStream<String>> program,
      Function<List<Event>, String> resultOfWindow) {
    return unordered(
        operations,
        (env, events) -> program.apply(events.keyBy(Event::key).window(tumbling())),
        events -> {
          List<String> all = new ArrayList<>();
          for (List<Event> own : byKey(events).values()) {
            byWindow(own).values().forEach(window -> all.add(resultOfWindow.apply(window)));
          }
          return all;
        });
  }

  static TumblingWindow windowOf(Event event) {
    long start = Math.floorDiv(event.time(), SIZE) * SIZE;
    return new TumblingWindow(start, start + SIZE);
  }

  record TumblingWindow(long start, long end) {}

  static io.millrace.api.window.WindowAssigner tumbling() {
    return TumblingEventTimeWindows.of(Duration.ofMillis(SIZE));
  }

  /** Keys by split, too. */
  static KeyedStream<Event, String> inOrder(DataStream<Event> events) {
    return events.keyBy(event -> event.id() / EVENTS + " " + event.key());
  }

  static Map<Object, List<Event>> byKey(List<Event> events) {
    Map<Object, List<Event>> groups = new LinkedHashMap<>();
    events.forEach(
        event -> groups.computeIfAbsent(event.key(), any -> new ArrayList<>()).add(event));
    return groups;
  }

  static Map<TumblingWindow, List<Event>> byWindow(List<Event> events) {
    Map<TumblingWindow, List<Event>> groups = new LinkedHashMap<>();
    events.forEach(
        event -> groups.computeIfAbsent(windowOf(event), any -> new ArrayList<>()).add(event));
    return groups;
  }

  static List<Integer> ids(Iterable<Event> events) {
    List<Integer> ids = new ArrayList<>();
    events.forEach(event -> ids.add(event.id()));
    ids.sort(null);
    return ids;
  }

  static long sum(List<Event> events) {
    return events.stream().mapToLong(Event::id).sum();
  }

  static Event lowest(List<Event> events) {
    return events.stream().min(java.util.Comparator.comparingInt(Event::id)).orElseThrow();
  }

  static Event highest(List<Event> events) {
    return events.stream().max(java.util.Comparator.comparingInt(Event::id)).orElseThrow();
  }
}
