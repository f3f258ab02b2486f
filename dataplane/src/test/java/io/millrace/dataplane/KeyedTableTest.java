package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyedTableTest {
  /** A key that collides with every other one. */
  record Clash(int value) {
    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Test
  void holdsWhatAHashMapHolds() {
    Random random = new Random(3);
    KeyedTable table = new KeyedTable();
    Map<Object, Object> model = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      Object key = i % 100 == 0 ? new Clash(random.nextInt(50)) : (Object) random.nextInt(20_000);
      int slot = table.find(key);
      assertThat(table.value(slot)).isEqualTo(model.get(key));
      table.value(slot, i);
      model.put(key, i);
    }
    assertThat(table.size()).isEqualTo(model.size());
    Set<Object> values = new HashSet<>();
    for (int slot = table.next(0); slot >= 0; slot = table.next(slot + 1)) {
      values.add(table.value(slot));
    }
    assertThat(values).isEqualTo(new HashSet<>(model.values()));
  }
}
