package io.millrace.dataplane;

import io.millrace.api.function.Collector;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.KeyedStateStore;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.CustomWindows;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Programs with triggers and evictors whose results do not depend on the order of records. */
final class TriggeredPrograms {
  private TriggeredPrograms() {}

  static Map<String, CheckpointTest.Program> all() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put(
        "triggered: tumbling aggregation",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(150)))
                .trigger(new WindowsTest.OwnTrigger())
                .aggregate(new CheckpointTest.Tallying(), new CheckpointTest.Window()));
    programs.put(
        "triggered: sliding records with an evictor",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(SlidingEventTimeWindows.of(Duration.ofMillis(200), Duration.ofMillis(80)))
                .trigger(new WindowsTest.OwnTrigger())
                .evictor(CountEvictor.of(1_000_000))
                .process(new CheckpointTest.Ids()));
    programs.put(
        "triggered: sessions with a dynamic gap",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(EventTimeSessionWindows.withDynamicGap(TriggeredPrograms::gap))
                .allowedLateness(Duration.ofMillis(40))
                .aggregate(new CheckpointTest.Tallying(), new CheckpointTest.Window()));
    programs.put(
        "triggered: count windows",
        (env, events) ->
            events
                .keyBy(Event::key)
                .countWindow(7)
                .process((key, window, found) -> key + " has seven more")
                .union(
                    events
                        .keyBy(Event::key)
                        .countWindow(10, 3)
                        .process((key, window, found) -> key + " has three more")));
    programs.put(
        "triggered: windows of the program's own kind",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(CustomWindows.ofEventTime(TriggeredPrograms::windows))
                .aggregate(new CheckpointTest.Tallying(), new CheckpointTest.Window()));
    programs.put(
        "triggered: state of windows",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(150)))
                .trigger(CountTrigger.of(3))
                .process(new WindowFires("")));
    return programs;
  }

  /** Up to two windows of uneven length. */
  static List<TimeWindow> windows(Event event, long timestamp) {
    long start = Math.floorDiv(timestamp, 100) * 100;
    return event.id() % 5 == 0
        ? List.of()
        : event.id() % 2 == 0
            ? List.of(new TimeWindow(start, start + 100))
            : List.of(new TimeWindow(start, start + 130), new TimeWindow(start - 70, start + 100));
  }

  /**
   * Counts how often a window has fired, and the windows of a key, in each kind of state.
   *
   * @param clears a shared counter of the windows that were cleared; empty for none
   */
  record WindowFires(String clears) implements ProcessWindowFunction<Event, String, Object> {
    private static final long serialVersionUID = 1L;
    private static final ValueStateDescriptor<Integer> VALUE = new ValueStateDescriptor<>("value");
    private static final ListStateDescriptor<Integer> LIST = new ListStateDescriptor<>("list");
    private static final MapStateDescriptor<Integer, String> MAP = new MapStateDescriptor<>("map");
    private static final ReducingStateDescriptor<Integer> REDUCED =
        new ReducingStateDescriptor<>("reduced", Integer::sum);
    private static final AggregatingStateDescriptor<Event, CheckpointTest.Tally, String>
        AGGREGATED = new AggregatingStateDescriptor<>("aggregated", new CheckpointTest.Counting());
    private static final ValueStateDescriptor<Integer> OF_KEY =
        new ValueStateDescriptor<>("of key");

    @Override
    public void process(Object key, Context context, Iterable<Event> events, Collector<String> out)
        throws Exception {
      KeyedStateStore states = context.windowState();
      Integer before = states.state(VALUE).value();
      int fires = before == null ? 1 : before + 1;
      states.state(VALUE).update(fires);
      states.listState(LIST).add(fires);
      states.mapState(MAP).put(fires, "fire");
      states.reducingState(REDUCED).add(1);
      states.aggregatingState(AGGREGATED).add(events.iterator().next());
      ValueState<Integer> ofKey = context.globalState().state(OF_KEY);
      ofKey.update(ofKey.value() == null ? 1 : ofKey.value() + 1);
      boolean agree =
          states.listState(LIST).values().size() == fires
              && states.mapState(MAP).entries().size() == fires
              && states.reducingState(REDUCED).value() == fires
              && states.aggregatingState(AGGREGATED).value().equals(String.valueOf(fires));
      // The order of the windows of a key is not the same in each run of a test of checkpoints.
      int shown = clears.isEmpty() ? 0 : ofKey.value();
      out.emit(line(key, context.window(), fires, shown) + (agree ? "" : " torn"));
    }

    static String line(Object key, TimeWindow window, int fires, int ofKey) {
      return key + " " + window + " fires " + fires + " of " + ofKey;
    }

    @Override
    public void clear(Object key, Context context) throws Exception {
      KeyedStateStore states = context.windowState();
      states.state(VALUE).clear();
      states.listState(LIST).clear();
      states.mapState(MAP).clear();
      states.reducingState(REDUCED).clear();
      states.aggregatingState(AGGREGATED).clear();
      if (!clears.isEmpty()) {
        Fixtures.shared(clears, AtomicInteger.class).incrementAndGet();
      }
    }
  }

  private static long gap(Event event) {
    return 5 + event.id() % 4 * 10L;
  }
}
