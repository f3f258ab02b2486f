package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A snapshot does not change, whatever happens to the state after it. A failure names its seed. */
class SnapshotIsolationTest {
  private static final int SEEDS = 20;

  /** A snapshot and what it has to contain. */
  private record Expected(List<StatePart> parts, Map<String, List<String>> content) {}

  @Test
  void aTableInASnapshotDoesNotChange() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      KeyTable table = new KeyTable();
      Map<Object, List<Integer>> model = new HashMap<>();
      List<FrozenTable> snapshots = new ArrayList<>();
      List<Map<Object, List<Integer>>> expected = new ArrayList<>();
      int keys = 1 + random.nextInt(5000);
      for (int i = 0; i < 8000; i++) {
        Object key =
            seed % 3 == 0 && i > 4000 && random.nextInt(50) == 0
                ? "text " + random.nextInt(keys)
                : (Object) (long) random.nextInt(keys);
        if (random.nextInt(5) == 0) {
          int slot = table.find(key);
          if (slot >= 0) {
            table.remove(slot);
          }
          model.remove(key);
        } else {
          int slot = table.slot(key);
          @SuppressWarnings("unchecked")
          List<Integer> list =
              (List<Integer>) table.owned(slot, value -> new ArrayList<>((List<Integer>) value));
          if (list == null) {
            list = new ArrayList<>();
            table.value(slot, list);
          }
          // In place.
          list.add(i);
          model.computeIfAbsent(key, any -> new ArrayList<>()).add(i);
        }
        if (random.nextInt(1000) == 0) {
          snapshots.add(table.freeze());
          Map<Object, List<Integer>> copy = new HashMap<>();
          model.forEach((any, values) -> copy.put(any, List.copyOf(values)));
          expected.add(copy);
        }
        if (!snapshots.isEmpty() && random.nextInt(1500) == 0) {
          int done = random.nextInt(snapshots.size());
          assertThat(content(snapshots.get(done)))
              .as("seed %s", seed)
              .isEqualTo(expected.get(done));
          snapshots.remove(done).release();
          expected.remove(done);
        }
      }
      while (!snapshots.isEmpty()) {
        assertThat(content(snapshots.get(0))).as("seed %s", seed).isEqualTo(expected.get(0));
        snapshots.remove(0).release();
        expected.remove(0);
      }
      // Nothing of a snapshot is held any more.
      assertThat(table.isFrozen()).isFalse();
    }
  }

  private static Map<Object, Object> content(FrozenTable table) {
    Map<Object, Object> content = new HashMap<>();
    for (int slot = table.keys().next(0); slot >= 0; slot = table.keys().next(slot + 1)) {
      content.put(table.keys().key(slot), table.value(slot));
    }
    return content;
  }

  @Test
  void numbersInASnapshotDoNotChange() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      KeyLongTable table = new KeyLongTable();
      Map<Object, Long> model = new HashMap<>();
      int keys = 1 + random.nextInt(4000);
      StatePart snapshot = null;
      List<String> expected = List.of();
      for (int i = 0; i < 10_000; i++) {
        Object key = seed % 2 == 0 ? (Object) random.nextInt(keys) : "key " + random.nextInt(keys);
        int slot = table.slot(key);
        table.number(slot, table.number(slot) + i);
        model.merge(key, (long) i, Long::sum);
        if (random.nextInt(2000) == 0) {
          if (snapshot != null) {
            assertThat(StateSnapshots.lines(snapshot))
                .as("seed %s", seed)
                .containsExactlyInAnyOrderElementsOf(expected);
            snapshot.release();
          }
          snapshot = table.freeze("number");
          expected = model.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
        }
      }
    }
  }

  /** A value that a program changes in place. */
  static final class Box {
    final List<Integer> content = new ArrayList<>();

    @Override
    public String toString() {
      return "Box" + content;
    }
  }

  private static Map<String, List<String>> content(List<StatePart> parts) {
    Map<String, List<String>> content = new TreeMap<>();
    for (StatePart part : parts) {
      content.put(part.info().name(), StateSnapshots.lines(part).stream().sorted().toList());
    }
    return content;
  }

  @Test
  void statesAndTimersInASnapshotDoNotChangeAndComeBack() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      HeapKeyedStateBackend store = new HeapKeyedStateBackend(StateSnapshots.copier(), () -> 0, "");
      ValueState<Box> value = store.value(new ValueStateDescriptor<>("value"));
      ListState<Integer> numbers = store.list(new ListStateDescriptor<>("numbers"));
      ListState<Box> boxes = store.list(new ListStateDescriptor<>("boxes"));
      MapState<Integer, Box> map = store.map(new MapStateDescriptor<>("map"));
      MapState<String, Long> plain = store.map(new MapStateDescriptor<>("plain"));
      ReducingState<Long> reducing =
          store.reducing(new ReducingStateDescriptor<>("reducing", Long::sum));
      var aggregating =
          store.aggregating(
              new AggregatingStateDescriptor<>(
                  "aggregating",
                  new io.millrace.api.function.AggregateFunction<Integer, Box, String>() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public Box create() {
                      return new Box();
                    }

                    @Override
                    public Box add(Box box, Integer element) {
                      box.content.add(element);
                      return box;
                    }

                    @Override
                    public String result(Box box) {
                      return box.toString();
                    }
                  }));
      List<Expected> snapshots = new ArrayList<>();
      int keys = 1 + random.nextInt(200);
      for (int i = 0; i < 2500; i++) {
        store.enter("key " + random.nextInt(keys));
        switch (random.nextInt(12)) {
          case 0 -> value.update(new Box());
          case 1, 2 -> {
            if (value.value() != null) {
              value.value().content.add(i);
            }
          }
          case 3 -> numbers.add(i);
          case 4 -> boxes.add(new Box());
          case 5 -> boxes.values().forEach(box -> box.content.add(box.content.size()));
          case 6 -> {
            Box box = map.get(i % 4);
            if (box == null) {
              map.put(i % 4, new Box());
            } else {
              box.content.add(i);
            }
          }
          case 7 -> plain.put("p" + i % 20, (long) i);
          case 8 -> reducing.add((long) i);
          case 9 -> aggregating.add(i);
          case 10 -> {
            store.addEventTimer(i);
            store.addProcessingTimer(i % 50);
            store.removeEventTimer(random.nextInt(2500));
          }
          default -> {
            value.clear();
            numbers.clear();
            map.remove(i % 4);
            plain.remove("p" + i % 20);
            reducing.clear();
          }
        }
        store.leave();
        if (random.nextInt(300) == 0) {
          List<StatePart> parts = store.freeze();
          snapshots.add(new Expected(parts, content(parts)));
        }
        if (!snapshots.isEmpty() && random.nextInt(400) == 0) {
          check(seed, snapshots.remove(random.nextInt(snapshots.size())));
        }
      }
      List<StatePart> last = store.freeze();
      Map<String, List<String>> content = content(last);
      HeapKeyedStateBackend restored =
          new HeapKeyedStateBackend(StateSnapshots.copier(), () -> 0, "");
      for (StatePart frozenPart : last) {
        TablePart part = (TablePart) frozenPart;
        FrozenKeys frozen = part.keys();
        for (int slot = frozen.next(0); slot >= 0; slot = frozen.next(slot + 1)) {
          Object key = frozen.key(slot);
          part.entries(
              slot, (start, end, entry) -> restored.restore(part.info(), key, start, entry));
        }
      }
      assertThat(content(restored.freeze())).as("seed %s", seed).isEqualTo(content);
      snapshots.add(new Expected(last, content));
      for (Expected each : snapshots) {
        check(seed, each);
      }
      assertThat(store.isFrozen()).isFalse();
    }
  }

  private static void check(long seed, Expected snapshot) {
    assertThat(content(snapshot.parts())).as("seed %s", seed).isEqualTo(snapshot.content());
    snapshot.parts().forEach(StatePart::release);
  }
}
