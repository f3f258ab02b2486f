package io.millrace.dataplane.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.operator.WindowSpec;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.operator.StepBudget;
import io.millrace.dataplane.state.FrozenTable;
import io.millrace.dataplane.state.KeyTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares ranges of panes with sums over all records. A failure names its seed. */
class PaneTreeTest {
  /** Keeps the records, in a list that it changes in place, in order of time. */
  private static final class Listing implements AggregateFunction<Object, List<Object>, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public List<Object> create() {
      return new ArrayList<>();
    }

    @Override
    public List<Object> add(List<Object> list, Object record) {
      list.add(record);
      return list;
    }

    @Override
    public Object result(List<Object> list) {
      return list;
    }

    @Override
    public List<Object> merge(List<Object> left, List<Object> right) {
      left.addAll(right);
      return left;
    }
  }

  /** Is exhausted after some calls, and fresh for the next step. */
  private static final class Budget implements StepBudget {
    private final Random random;

    Budget(Random random) {
      this.random = random;
    }

    @Override
    public boolean isExhausted() {
      return random.nextInt(5) == 0;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Contents are objects here.
  private static WindowContent content() {
    return WindowContent.of(new WindowSpec.Content.Aggregated((AggregateFunction) new Listing()));
  }

  private static PaneTree tree(StepBudget budget) {
    return new PaneTree(content(), budget, KeyTable::value);
  }

  /** What a key has in a range of panes, in order of panes. */
  private static Map<String, List<Object>> model(
      NavigableMap<Long, Map<String, List<Object>>> panes, long from, long to) {
    Map<String, List<Object>> sum = new TreeMap<>();
    panes
        .subMap(from, to)
        .values()
        .forEach(
            pane ->
                pane.forEach(
                    (key, records) ->
                        sum.computeIfAbsent(key, absent -> new ArrayList<>()).addAll(records)));
    return sum;
  }

  private static Map<String, List<?>> read(KeyTable table) {
    Map<String, List<?>> read = new TreeMap<>();
    for (int slot = table.next(0); slot >= 0; slot = table.next(slot + 1)) {
      read.put((String) table.key(slot), List.copyOf((List<?>) table.value(slot)));
    }
    return read;
  }

  private static List<Integer> sorted(Object records) {
    return ((List<?>) records).stream().map(Integer.class::cast).sorted().toList();
  }

  private static Map<String, List<Integer>> sorted(Map<String, ?> contents) {
    Map<String, List<Integer>> sorted = new TreeMap<>();
    contents.forEach((key, records) -> sorted.put(key, sorted(records)));
    return sorted;
  }

  @Test
  @Behaviour("H1: sliding windows with a mergeable function fold each record once")
  void rangesHaveAllRecordsOfTheirPanesInOrder() throws Exception {
    int paused = 0;
    for (long seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      Budget budget = new Budget(random);
      PaneTree tree = tree(budget);
      TreeMap<Long, Map<String, List<Object>>> model = new TreeMap<>();
      int span = 2 + random.nextInt(40);
      long first = random.nextInt(100) - 50L;
      long complete = first;
      int next = 0;
      for (int i = 0; i < 400; i++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3, 4 -> {
            // Most records are of the newest panes; some are late.
            long pane =
                random.nextInt(4) == 0
                    ? first + random.nextInt(span)
                    : complete + random.nextInt(3);
            String key = "k" + random.nextInt(5);
            tree.fold(pane, key, next, pane < complete);
            model
                .computeIfAbsent(pane, absent -> new TreeMap<>())
                .computeIfAbsent(key, absent -> new ArrayList<>())
                .add(next++);
          }
          case 5 -> {
            first += random.nextInt(3);
            complete = Math.max(complete, first);
            tree.removeBefore(first);
            model.headMap(first).clear();
          }
          case 6 -> {
            long from = first + random.nextInt(span);
            long to = from + 1 + random.nextInt(span);
            for (String key : List.of("k0", "k3", "unknown")) {
              Object found = tree.of(key, from, to);
              List<Object> expected = model(model, from, to).get(key);
              // Late records are behind those that a node had before.
              assertThat(found == null ? null : sorted(found))
                  .as("seed %s", seed)
                  .isEqualTo(expected == null ? null : sorted(expected));
            }
          }
          default -> {
            long to = complete + 1 + random.nextInt(3);
            long from = Math.max(first, to - 1 - random.nextInt(span));
            complete = Math.max(complete, to);
            PaneTree.Total total = tree.total(from, to);
            while (!total.advance()) {
              paused++;
            }
            assertThat(sorted(read(total.whole())))
                .as("seed %s", seed)
                .isEqualTo(sorted(model(model, from, to)));
          }
        }
        assertThat(tree.hasFrom(first)).isEqualTo(!model.tailMap(first).isEmpty());
        if (tree.hasFrom(first)) {
          assertThat(tree.firstFrom(first)).isEqualTo(model.ceilingKey(first));
        }
      }
    }
    assertThat(paused).as("steps that ended early").isGreaterThan(1_000);
  }

  @Test
  void withoutLateRecordsTheOrderIsThatOfTime() throws Exception {
    PaneTree tree = tree(() -> false);
    int record = 0;
    for (long pane = -7; pane < 40; pane++) {
      for (int i = 0; i < 3; i++) {
        tree.fold(pane, "k", record++, false);
      }
      if (pane >= 0) {
        PaneTree.Total total = tree.total(pane - 7, pane + 1);
        assertThat(total.advance()).isTrue();
        List<Integer> expected = new ArrayList<>();
        for (int i = (int) (pane * 3); i < record; i++) {
          expected.add(i);
        }
        assertThat(read(total.whole())).isEqualTo(Map.of("k", expected));
        assertThat(tree.of("k", pane - 7, pane + 1)).isEqualTo(expected);
        tree.removeBefore(pane - 6);
      }
    }
  }

  /** The panes alone are in a checkpoint; nodes are computed again. */
  @Test
  void panesOfASnapshotAreRestored() throws Exception {
    Random random = new Random(4);
    PaneTree tree = tree(() -> false);
    TreeMap<Long, Map<String, List<Object>>> model = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      long pane = random.nextInt(30);
      String key = "k" + random.nextInt(4);
      tree.fold(pane, key, i, true);
      model
          .computeIfAbsent(pane, absent -> new TreeMap<>())
          .computeIfAbsent(key, absent -> new ArrayList<>())
          .add(i);
      if (i == 150) {
        tree.total(0, 30).advance();
      }
    }
    List<Long> frozen = new ArrayList<>();
    PaneTree restored = tree(() -> false);
    tree.freeze(
        (pane, contents) -> {
          frozen.add(pane);
          copy(contents, pane, restored);
          contents.release();
        });
    assertThat(frozen).isSorted().containsExactlyElementsOf(model.keySet());
    for (long from = 0; from < 30; from += 3) {
      PaneTree.Total total = restored.total(from, 30);
      total.advance();
      assertThat(read(total.whole())).isEqualTo(model(model, from, 30));
    }
  }

  private static void copy(FrozenTable contents, long pane, PaneTree to) {
    for (int slot = contents.keys().next(0); slot >= 0; slot = contents.keys().next(slot + 1)) {
      to.restore(pane, contents.keys().key(slot), new ArrayList<>((List<?>) contents.value(slot)));
    }
  }

  @Test
  void aRangeIsCoveredByFewNodes() {
    for (long from = -40; from < 40; from++) {
      for (long to = from + 1; to < from + 70; to++) {
        int nodes = 0;
        for (long at = from; at < to; nodes++) {
          int level = PaneTree.levelAt(at, to);
          assertThat(Math.floorMod(at, 1L << level)).as("a node begins at its size").isZero();
          at += 1L << level;
          assertThat(at).isLessThanOrEqualTo(to);
        }
        assertThat(nodes).isLessThanOrEqualTo(2 * (65 - Long.numberOfLeadingZeros(to - from)));
      }
    }
  }
}
