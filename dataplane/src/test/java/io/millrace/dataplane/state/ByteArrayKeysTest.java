package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Arrays of bytes are keys by their content, whoever made the array. */
class ByteArrayKeysTest {
  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  @Test
  void tableFindsThemByContent() {
    Random random = new Random(2);
    KeyTable table = new KeyTable();
    Map<Object, Object> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      // Beside other keys, with the same hash among them.
      Object key = random.nextInt(3) == 0 ? (Object) random.nextInt(40) : key(random);
      Object inModel = key instanceof byte[] bytes ? ByteBuffer.wrap(bytes.clone()) : key;
      int slot = table.slot(key);
      assertThat(table.value(slot)).isEqualTo(model.get(inModel));
      if (random.nextInt(4) == 0) {
        table.remove(slot);
        model.remove(inModel);
      } else {
        table.value(slot, i);
        model.put(inModel, i);
      }
    }
    assertThat(table.size()).isEqualTo(model.size());
    Object[] keys = {new byte[0], new byte[] {1}, new byte[] {1, 1, 1, 1, 1}};
    int[] slots = new int[3];
    table.find(keys, 3, slots);
    assertThat(slots[0] >= 0).isEqualTo(model.containsKey(ByteBuffer.wrap(new byte[0])));
    assertThat(slots[1] >= 0).isEqualTo(model.containsKey(ByteBuffer.wrap(new byte[] {1})));
    assertThat(slots[2]).isNegative();
  }

  @Test
  void stateBelongsToTheirContent() {
    HeapKeyedStateBackend store = new HeapKeyedStateBackend(StateSnapshots.copier(), () -> 0, "");
    ValueState<String> state = store.value(new ValueStateDescriptor<>("s"));
    store.enter(new byte[] {1, 2});
    state.update("one");
    store.leave();
    store.enter(new byte[] {1, 2});
    assertThat(state.value()).isEqualTo("one");
    store.addEventTimer(5);
    store.leave();
    store.enter(new byte[] {1, 2, 0});
    assertThat(state.value()).isNull();
    store.leave();
    assertThat(store.size()).isEqualTo(1);
    assertThat(store.enterEventTimer()).isEqualTo(5);
    assertThat((byte[]) store.key()).containsExactly(1, 2);
    state.clear();
    store.leave();
    assertThat(store.size()).isZero();
  }

  /** A table that had numbers as keys only gets other ones. */
  @Test
  void numbersStayFoundWhenOtherKeysCome() {
    KeyTable table = new KeyTable();
    for (long i = 0; i < 100; i++) {
      table.value(table.slot(i), i);
    }
    FrozenKeys before = table.freeze().keys();
    assertThat(table.slot(7)).as("an int is no long").isNotEqualTo(table.slot(7L));
    table.value(table.slot(7), "int");
    table.value(table.slot(new byte[] {7}), "bytes");
    table.value(table.slot("7"), "text");
    for (long i = 0; i < 100; i++) {
      assertThat(table.value(table.slot(i))).isEqualTo(i);
      assertThat(before.key(before.next((int) i))).isEqualTo(i);
    }
    assertThat(table.value(table.slot(new byte[] {7}))).isEqualTo("bytes");
    assertThat(table.size()).isEqualTo(103);
  }
}
