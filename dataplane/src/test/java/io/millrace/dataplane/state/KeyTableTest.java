package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyTableTest {
  /** A key that collides with all others. */
  record Clash(int value) {
    @Override
    public int hashCode() {
      return 1;
    }
  }

  enum Kind {
    LONGS,
    INTS,
    STRINGS,
    LONGS_THEN_ALL
  }

  private static Object key(Random random, Kind kind, int i) {
    int number = random.nextInt(20_000) - 10_000;
    return switch (kind) {
      case LONGS -> number * 0x100000001L;
      case INTS -> number;
      case STRINGS -> "key " + number;
      case LONGS_THEN_ALL -> {
        if (i < 10_000 || i % 3 == 0) {
          yield (long) number;
        }
        yield i % 3 == 1 ? (Object) number : new Clash(number % 50);
      }
    };
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  @Behaviour("H1: state is separate per key, and a key without state takes no memory")
  void behavesLikeAHashMap(Kind kind) {
    Random random = new Random(3);
    KeyTable table = new KeyTable();
    Map<Object, Object> model = new HashMap<>();
    for (int i = 0; i < 60_000; i++) {
      Object key = key(random, kind, i);
      int slot = table.slot(key);
      assertThat(table.value(slot)).isEqualTo(model.get(key));
      assertThat(table.key(slot)).isEqualTo(key);
      // Keys are removed in phases, so that slots are reused and gaps in the table are closed.
      if (i / 5000 % 3 == 1 || random.nextInt(10) == 0) {
        table.remove(slot);
        model.remove(key);
      } else {
        table.value(slot, i);
        model.put(key, i);
      }
    }
    assertThat(table.size()).isEqualTo(model.size());
    Map<Object, Object> read = new HashMap<>();
    for (int slot = table.next(0); slot >= 0; slot = table.next(slot + 1)) {
      assertThat(read.put(table.key(slot), table.value(slot))).isNull();
    }
    assertThat(read).isEqualTo(model);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void findsSeveralKeysLikeSingleOnes(Kind kind) {
    Random random = new Random(7);
    KeyTable table = new KeyTable();
    Map<Object, Integer> model = new HashMap<>();
    Object[] keys = new Object[32];
    int[] slots = new int[32];
    for (int i = 0; i < 40_000; i += 32) {
      int count = 1 + random.nextInt(32);
      for (int k = 0; k < count; k++) {
        keys[k] = key(random, kind, i + k);
      }
      table.find(keys, count, slots);
      for (int k = 0; k < count; k++) {
        assertThat(slots[k]).isEqualTo(model.getOrDefault(keys[k], -1));
      }
      for (int k = 0; k < count; k += 2) {
        int slot = table.slot(keys[k]);
        table.value(slot, i);
        model.put(keys[k], slot);
      }
    }
    assertThat(table.size()).isEqualTo(model.size()).isGreaterThan(1000);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void sumsNumbersLikeAHashMap(Kind kind) {
    Random random = new Random(5);
    KeyLongTable table = new KeyLongTable();
    Map<Object, Long> model = new HashMap<>();
    for (int i = 0; i < 60_000; i++) {
      Object key = key(random, kind, i);
      int slot = table.slot(key);
      assertThat(table.key(slot)).isEqualTo(key);
      assertThat(table.number(slot)).isEqualTo(model.getOrDefault(key, 0L));
      table.number(slot, table.number(slot) + i);
      model.merge(key, (long) i, Long::sum);
    }
    assertThat(table.size()).isEqualTo(model.size());
    Object[] keys = model.keySet().toArray();
    int[] slots = new int[keys.length];
    table.find(keys, keys.length, slots);
    for (int i = 0; i < keys.length; i++) {
      assertThat(table.number(slots[i])).isEqualTo(model.get(keys[i]));
    }
  }
}
