package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares the map with a LinkedHashMap. A failure names its seed. */
class EntryMapTest {
  /** An element of a kind: numbers that are stored unboxed, others, or a mixture. */
  private static Object element(Random random, int kind, int range) {
    int number = random.nextInt(range) - range / 2;
    return switch (kind) {
      case 0 -> number * 0x100000001L;
      case 1 -> number;
      case 2 -> number / 4.0;
      case 3 -> "e" + number;
      case 4 -> new KeyTableTest.Clash(number);
      default -> element(random, Math.floorMod(number, 4), range);
    };
  }

  private static void check(long seed) {
    Random random = new Random(seed);
    int keyKind = random.nextInt(6);
    int valueKind = random.nextInt(6);
    // Few entries, some hundreds, and enough for each width of the index.
    int range = new int[] {6, 30, 700, 100_000}[random.nextInt(keyKind == 4 ? 2 : 4)];
    int steps = range * 2 + random.nextInt(1000);
    EntryMap map = new EntryMap();
    Map<Object, Object> model = new LinkedHashMap<>();
    int removals = 1 + random.nextInt(9);
    for (int i = 0; i < steps; i++) {
      Object key = element(random, keyKind, range);
      assertThat(map.contains(key)).as("seed %s", seed).isEqualTo(model.containsKey(key));
      assertThat(map.get(key)).as("seed %s", seed).isEqualTo(model.get(key));
      if (random.nextInt(10) < removals) {
        assertThat(map.remove(key)).as("seed %s", seed).isEqualTo(model.remove(key) != null);
      } else {
        Object value = element(random, valueKind, 1000);
        map.put(key, value);
        model.put(key, value);
      }
      if (i % 1000 == 0) {
        removals = 1 + random.nextInt(9);
      }
      if (range < 100 || i % (range / 2) == 0) {
        compare(map, model, seed);
      }
    }
    compare(map, model, seed);
    for (Object key : List.copyOf(model.keySet())) {
      assertThat(map.remove(key)).as("seed %s", seed).isTrue();
    }
    assertThat(map.size()).isZero();
    assertThat(map.read()).isEmpty();
  }

  private static void compare(EntryMap map, Map<Object, Object> model, long seed) {
    assertThat(map.size()).as("seed %s", seed).isEqualTo(model.size());
    assertThat(new ArrayList<>(map.read().entrySet()))
        .as("seed %s", seed)
        .isEqualTo(new ArrayList<>(model.entrySet()));
  }

  @Test
  @Behaviour(
      "H1: map state keeps the order of first insertion, list state the order of its elements")
  void behavesLikeALinkedHashMap() {
    for (long seed = 1; seed <= 40; seed++) {
      check(seed);
    }
  }

  @Test
  @Behaviour(
      "H1: map state keeps the order of first insertion, list state the order of its elements")
  void reusesPositionsOfRemovedEntries() {
    EntryMap map = new EntryMap();
    for (long i = 0; i < 1_000_000; i++) {
      map.put(i, i);
      if (i >= 100) {
        map.remove(i - 100);
      }
    }
    assertThat(map.size()).isEqualTo(100);
    assertThat(map.capacity()).isLessThan(300);
    assertThat(map.read().keySet().iterator().next()).isEqualTo(999_900L);
  }

  @Test
  void acceptsNullAsAKey() {
    EntryMap map = new EntryMap();
    map.put(1L, "one");
    map.put(null, "none");
    assertThat(map.get(null)).isEqualTo("none");
    assertThat(map.read()).containsEntry(1L, "one").containsEntry(null, "none").hasSize(2);
    assertThat(map.remove(null)).isTrue();
    assertThat(map.contains(null)).isFalse();
  }

  @Test
  void iteratorDetectsAChange() {
    EntryMap map = new EntryMap();
    map.put("a", 1);
    map.put("b", 2);
    Iterator<Map.Entry<Object, Object>> iterator = map.read().entrySet().iterator();
    iterator.next();
    map.put("c", 3);
    assertThatThrownBy(iterator::next).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(() -> map.read().put("d", 4))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
