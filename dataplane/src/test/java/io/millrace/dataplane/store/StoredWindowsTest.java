package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.window.TimeWindow;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.store.TestStates.Kind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contents of windows in a store, compared with maps. A failure names its seed. */
class StoredWindowsTest {
  private static final int GROUPS = 16;

  /** The groups of a subtask in the middle. */
  private static final KeyGroupRange RANGE = new KeyGroupRange(3, 13);

  @TempDir Path directory;

  private static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; keys.size() < 30; i++) {
      String key = "k".repeat(i % 3) + i;
      if (RANGE.contains(KeyGroups.groupOf(key, GROUPS))) {
        keys.add(key);
      }
    }
    return keys;
  }

  private static String line(String key, Object content) {
    return key + "=" + content;
  }

  private static List<String> sorted(List<String> lines) {
    return lines.stream().sorted().collect(Collectors.toList());
  }

  private record Model(Map<TimeWindow, Map<String, Object>> windows) {
    void put(TimeWindow window, String key, Object content) {
      windows.computeIfAbsent(window, absent -> new TreeMap<>()).put(key, content);
    }

    Object get(TimeWindow window, String key) {
      return windows.getOrDefault(window, Map.of()).get(key);
    }

    /** The contents of some windows by key, in the order of the windows. */
    List<String> lines(List<TimeWindow> of) {
      Map<String, List<Object>> contents = new TreeMap<>();
      for (TimeWindow window : of) {
        windows
            .getOrDefault(window, Map.of())
            .forEach(
                (key, content) ->
                    contents.computeIfAbsent(key, absent -> new ArrayList<>()).add(content));
      }
      List<String> lines = new ArrayList<>();
      contents.forEach((key, all) -> lines.add(line(key, all)));
      return sorted(lines);
    }
  }

  private static TimeWindow window(Random random) {
    // Some with the bounds that have no neighbour, and some that end after others begin.
    return switch (random.nextInt(12)) {
      case 0 -> new TimeWindow(Long.MIN_VALUE, Long.MIN_VALUE + 10);
      case 1 -> new TimeWindow(Long.MAX_VALUE - 10, Long.MAX_VALUE);
      default -> {
        long start = random.nextInt(8) * 5L - 20;
        yield new TimeWindow(start, start + (random.nextInt(4) == 0 ? 10 : 5));
      }
    };
  }

  private static List<String> read(StoredState state, StoredWindows windows, TimeWindow... of) {
    List<String> lines = new ArrayList<>();
    List<StoredWindowReader.Part> parts = new ArrayList<>();
    for (TimeWindow window : of) {
      parts.add(new StoredWindowReader.Part(windows, window));
    }
    StoredWindowReader reader = new StoredWindowReader(parts);
    while (reader.next(
        (key, contents) -> lines.add(line((String) state.decodeKey(key), contents)))) {
      // all keys
    }
    reader.close();
    return sorted(lines);
  }

  @Test
  void behavesLikeMapsOfWindowsAndKeys() {
    List<String> keys = keys();
    for (long seed = 1; seed <= 25; seed++) {
      Random random = new Random(seed);
      boolean isList = random.nextBoolean();
      StateInfo info = new StateInfo("windows", isList ? StateKind.LIST : StateKind.VALUE, true);
      try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
        StoredState state = states.store(Kind.SORTED_MAP, RANGE);
        StoredWindows windows = state.windows(info, false);
        assertThat(windows.isList()).isEqualTo(isList);
        Model model = new Model(new HashMap<>());
        for (int i = 0; i < 600; i++) {
          String key = keys.get(random.nextInt(keys.size()));
          byte[] bytes = state.keyOf(key);
          TimeWindow window = window(random);
          switch (random.nextInt(10)) {
            case 0 -> {
              windows.remove(window);
              model.windows().remove(window);
            }
            case 1, 2 ->
                assertThat(windows.get(bytes, window))
                    .as("seed %s", seed)
                    .isEqualTo(model.get(window, key));
            case 3 -> {
              if (random.nextInt(20) == 0) {
                windows.clear();
                model.windows().clear();
              }
            }
            case 4 -> {
              // As after a restore, when only the entries are there.
              windows = state.windows(info, false);
              windows.findWindows();
            }
            default -> {
              if (isList && random.nextBoolean()) {
                windows.append(bytes, window, i);
                List<Object> after = new ArrayList<>();
                Object before = model.get(window, key);
                if (before != null) {
                  after.addAll((List<?>) before);
                }
                after.add(i);
                model.put(window, key, after);
              } else {
                Object content = isList ? new ArrayList<>(List.of(i, "x")) : "content " + i;
                windows.put(bytes, window, content);
                model.put(window, key, content);
              }
            }
          }
          if (i % 20 == 0) {
            TimeWindow one = window(random);
            TimeWindow other = window(random);
            assertThat(read(state, windows, one))
                .as("seed %s", seed)
                .isEqualTo(model.lines(List.of(one)));
            assertThat(read(state, windows, one, other))
                .as("seed %s", seed)
                .isEqualTo(model.lines(List.of(one, other)));
            assertThat(windows.windows()).as("seed %s", seed).containsAll(model.windows().keySet());
          }
        }
        StoredWindows found = state.windows(info, false);
        found.findWindows();
        assertThat(found.windows())
            .as("seed %s", seed)
            .containsExactlyInAnyOrderElementsOf(model.windows().keySet());
        new ArrayList<>(found.windows()).forEach(found::remove);
        assertThat(states.stores().get(0).size()).as("seed %s", seed).isZero();
        assertThat(states.stores().get(0).open()).as("seed %s", seed).isZero();
      }
    }
  }

  @Test
  void readerCanBeLeftBetweenTwoKeysAndSkipsGroups() {
    StateInfo info = new StateInfo("windows", StateKind.VALUE, true);
    try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
      StoredState state = states.store(Kind.SORTED_MAP, RANGE);
      StoredWindows windows = state.windows(info, false);
      TimeWindow window = new TimeWindow(0, 10);
      keys().forEach(key -> windows.put(state.keyOf(key), window, key));
      StoredWindowReader reader =
          new StoredWindowReader(List.of(new StoredWindowReader.Part(windows, window)));
      reader.skip(group -> group < 8);
      List<String> read = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = reader.next((key, contents) -> read.add((String) contents.get(0)));
        // What is written meanwhile belongs to other windows, and does not disturb the reader.
        windows.put(state.keyOf(keys().get(0)), new TimeWindow(10, 20), "later");
      }
      assertThat(read)
          .doesNotHaveDuplicates()
          .containsExactlyInAnyOrderElementsOf(
              keys().stream().filter(key -> KeyGroups.groupOf(key, GROUPS) >= 8).toList());
      assertThat(reader.next((key, contents) -> read.add("again"))).isFalse();
      reader.close();
      assertThat(states.stores().get(0).open()).isZero();
    }
  }

  @Test
  void lowestWindowOfATimeIsBeforeAllThatStartThere() {
    for (long time : new long[] {Long.MIN_VALUE, -1, 0, 7, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      TimeWindow lowest = StoredWindows.lowest(time);
      assertThat(lowest.start()).isLessThanOrEqualTo(time);
      assertThat(lowest.end()).isEqualTo(lowest.start() + 1);
    }
  }
}
