package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.store.TestStates.Kind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares timers in a store with a sorted map. A failure names its seed. */
class StoredTimersTest {
  private static final int GROUPS = 8;
  private static final KeyGroupRange RANGE = new KeyGroupRange(2, 7);

  @TempDir Path directory;

  private static long time(Random random, int span) {
    return switch (random.nextInt(30)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      default -> (long) random.nextInt(span) - span / 3;
    };
  }

  @Test
  @Behaviour("H1: a timer fires once per key and time, in order, and not after its deletion")
  void behavesLikeASortedMap() {
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; keys.size() < 25; i++) {
      if (RANGE.contains(KeyGroups.groupOf(i, GROUPS))) {
        keys.add(i);
      }
    }
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      int span = 1 + random.nextInt(200);
      try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
        StoredState state = states.store(Kind.SORTED_MAP, RANGE);
        StoredTimers timers = state.timers(StateInfo.EVENT_TIMERS, false);
        TreeMap<Long, Set<Integer>> model = new TreeMap<>();
        for (int i = 0; i < 2_500; i++) {
          int key = keys.get(random.nextInt(keys.size()));
          long time = time(random, span);
          switch (random.nextInt(9)) {
            case 0, 1, 2 -> {
              timers.add(time, state.keyOf(key));
              model.computeIfAbsent(time, absent -> new HashSet<>()).add(key);
            }
            case 3, 4 -> {
              if (!model.isEmpty() && random.nextBoolean()) {
                time = model.firstKey();
                key = model.get(time).iterator().next();
              }
              timers.remove(time, state.keyOf(key));
              remove(model, time, key);
            }
            case 5 -> {
              // As after a restore: what was known about first timers is forgotten.
              if (random.nextInt(10) == 0) {
                timers = state.timers(StateInfo.EVENT_TIMERS, false);
              }
            }
            default -> {
              if (!model.isEmpty()) {
                assertThat(timers.firstTime()).as("seed %s", seed).isEqualTo(model.firstKey());
                Object polled = state.decodeKey(timers.poll());
                assertThat(model.firstEntry().getValue())
                    .as("seed %s", seed)
                    .contains((int) polled);
                remove(model, model.firstKey(), (int) polled);
              }
            }
          }
          assertThat(timers.isEmpty()).as("seed %s", seed).isEqualTo(model.isEmpty());
        }
        int left = model.values().stream().mapToInt(Set::size).sum();
        assertThat(states.stores().get(0).size()).as("seed %s", seed).isEqualTo(left);
        assertThat(states.stores().get(0).open()).as("seed %s", seed).isZero();
      }
    }
  }

  private static void remove(Map<Long, Set<Integer>> model, long time, int key) {
    Set<Integer> keys = model.getOrDefault(time, new HashSet<>());
    keys.remove(key);
    if (keys.isEmpty()) {
      model.remove(time);
    }
  }
}
