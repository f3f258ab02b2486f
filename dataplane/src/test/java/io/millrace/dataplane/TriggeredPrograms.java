package io.millrace.dataplane;

import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

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
    return programs;
  }

  private static long gap(Event event) {
    return 5 + event.id() % 4 * 10L;
  }
}
