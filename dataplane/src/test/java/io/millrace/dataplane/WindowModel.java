package io.millrace.dataplane;

import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What windows have to deliver, computed naively: for every event and every watermark all records
 * that may matter are looked at again.
 */
final class WindowModel {
  private final WindowAssigner assigner;
  private final long lateness;
  private final Map<String, List<Event>> kept = new TreeMap<>();
  private long watermark = Long.MIN_VALUE;

  /** A line for each firing: key, window, ids of the events in it. */
  final List<String> fired = new ArrayList<>();

  final List<Integer> late = new ArrayList<>();

  WindowModel(WindowAssigner assigner, long lateness) {
    this.assigner = assigner;
    this.lateness = lateness;
  }

  static WindowModel of(WindowAssigner assigner, long lateness, List<Event> events) {
    WindowModel model = new WindowModel(assigner, lateness);
    for (Event event : events) {
      model.add(event);
      if (event.watermark() != RandomEvents.NO_WATERMARK) {
        model.advance(event.watermark());
      }
    }
    model.advance(Long.MAX_VALUE);
    return model;
  }

  private record Window(long start, long end, List<Event> events) {
    boolean isOver(long time) {
      return end - 1 <= time;
    }
  }

  static String line(Object key, long start, long end, List<Integer> ids) {
    return key.getClass().getSimpleName() + " " + key + " " + start + ".." + end + " " + ids;
  }

  private void fire(Object key, Window window) {
    fired.add(
        line(
            key,
            window.start,
            window.end,
            window.events.stream().map(Event::id).sorted().toList()));
  }

  private static String name(Event event) {
    return event.key().getClass().getSimpleName() + event.key();
  }

  void add(Event event) {
    List<Event> before = kept.computeIfAbsent(name(event), any -> new ArrayList<>());
    List<Event> after = new ArrayList<>(before);
    if (assigner instanceof WindowAssigner.Aligned aligned) {
      // Others are in none of its windows.
      after.removeIf(other -> Math.abs(other.time() - event.time()) >= aligned.size());
    }
    after.add(event);
    boolean taken = false;
    for (Window window : windows(after)) {
      if (window.events.contains(event) && !isForgotten(window, watermark)) {
        taken = true;
        if (window.isOver(watermark)) {
          fire(event.key(), window);
        }
      }
    }
    if (taken) {
      before.add(event);
    } else if (event.time() + lateness <= watermark) {
      late.add(event.id());
    }
  }

  private boolean isForgotten(Window window, long at) {
    return at == Long.MAX_VALUE || window.end - 1 + lateness <= at;
  }

  void advance(long to) {
    for (List<Event> events : kept.values()) {
      for (Window window : windows(events)) {
        if (window.isOver(to) && !window.isOver(watermark) && !isForgotten(window, watermark)) {
          fire(events.get(0).key(), window);
        }
      }
      if (assigner instanceof WindowAssigner.Aligned aligned) {
        // All windows of such an event are forgotten.
        events.removeIf(event -> to - lateness - aligned.size() >= event.time());
      } else {
        for (Window window : windows(events)) {
          if (isForgotten(window, to)) {
            events.removeAll(window.events);
          }
        }
      }
    }
    watermark = to;
  }

  private List<Window> windows(List<Event> events) {
    List<Window> windows = new ArrayList<>();
    List<Event> sorted = new ArrayList<>(events);
    sorted.sort(Comparator.comparingLong(Event::time));
    if (assigner instanceof WindowAssigner.Session sessions) {
      List<Event> open = new ArrayList<>();
      for (Event event : sorted) {
        if (!open.isEmpty() && event.time() > open.get(open.size() - 1).time() + sessions.gap()) {
          windows.add(session(open, sessions.gap()));
          open = new ArrayList<>();
        }
        open.add(event);
      }
      if (!open.isEmpty()) {
        windows.add(session(open, sessions.gap()));
      }
      return windows;
    }
    WindowAssigner.Aligned aligned = (WindowAssigner.Aligned) assigner;
    Map<Long, List<Event>> byStart = new TreeMap<>();
    for (Event event : sorted) {
      long first = Math.floorDiv(event.time() - aligned.size() - aligned.offset(), aligned.slide());
      for (long n = first; n * aligned.slide() + aligned.offset() <= event.time(); n++) {
        long start = n * aligned.slide() + aligned.offset();
        if (event.time() >= start && event.time() < start + aligned.size()) {
          byStart.computeIfAbsent(start, any -> new ArrayList<>()).add(event);
        }
      }
    }
    byStart.forEach((start, in) -> windows.add(new Window(start, start + aligned.size(), in)));
    return windows;
  }

  private static Window session(List<Event> events, long gap) {
    return new Window(events.get(0).time(), events.get(events.size() - 1).time() + gap, events);
  }
}
