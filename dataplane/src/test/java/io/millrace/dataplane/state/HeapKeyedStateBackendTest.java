package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HeapKeyedStateBackendTest {
  private final HeapKeyedStateBackend store =
      new HeapKeyedStateBackend(StateSnapshots.copier(), () -> 0, "");

  private static final class Model {
    Integer value;
    List<Integer> list = new ArrayList<>();
    Map<String, Integer> map = new TreeMap<>();
    Integer sum;

    boolean isEmpty() {
      return value == null && list.isEmpty() && map.isEmpty() && sum == null;
    }
  }

  @Test
  @Behaviour("H1: state is separate per key, and a key without state takes no memory")
  void statesAreSeparatePerKeyAndEmptyKeysAreRemoved() throws Exception {
    ValueState<Integer> value = store.value(new ValueStateDescriptor<>("value"));
    ListState<Integer> list = store.list(new ListStateDescriptor<>("list"));
    MapState<String, Integer> map = store.map(new MapStateDescriptor<>("map"));
    ReducingState<Integer> sum = store.reducing(new ReducingStateDescriptor<>("sum", Integer::sum));
    Random random = new Random(11);
    Map<Long, Model> models = new TreeMap<>();
    for (int i = 0; i < 200_000; i++) {
      long key = random.nextInt(5_000);
      Model model = models.computeIfAbsent(key, absent -> new Model());
      store.enter(key);
      assertThat(store.key()).isEqualTo(key);
      assertThat(value.value()).isEqualTo(model.value);
      assertThat(list.values()).isEqualTo(model.list);
      assertThat(map.entries()).isEqualTo(model.map);
      assertThat(map.isEmpty()).isEqualTo(model.map.isEmpty());
      assertThat(sum.value()).isEqualTo(model.sum);
      switch (random.nextInt(10)) {
        case 0 -> {
          value.update(i);
          model.value = i;
        }
        case 1 -> {
          value.clear();
          model.value = null;
        }
        case 2 -> {
          list.add(i);
          model.list.add(i);
        }
        case 3 -> {
          list.update(List.of(1, 2));
          model.list = new ArrayList<>(List.of(1, 2));
        }
        case 4 -> {
          list.clear();
          model.list.clear();
        }
        case 5 -> {
          map.put("k" + i % 3, i);
          model.map.put("k" + i % 3, i);
        }
        case 6 -> {
          map.remove("k" + i % 3);
          model.map.remove("k" + i % 3);
        }
        case 7 -> {
          sum.add(i % 100);
          model.sum = (model.sum == null ? 0 : model.sum) + i % 100;
        }
        case 8 -> {
          sum.clear();
          model.sum = null;
        }
        default -> {
          map.clear();
          model.map.clear();
        }
      }
      store.leave();
      if (model.isEmpty()) {
        models.remove(key);
      }
      if (i % 1000 == 0) {
        assertThat(store.size()).isEqualTo(models.size());
      }
    }
    assertThat(store.size()).isEqualTo(models.size());
  }

  @Test
  void keyWithATimerIsKept() {
    store.enter("a");
    store.addEventTimer(5);
    store.leave();
    store.enter("b");
    store.addProcessingTimer(7);
    store.leave();
    assertThat(store.size()).isEqualTo(2);
    assertThat(store.isEventTimerDue(4)).isFalse();
    assertThat(store.isEventTimerDue(5)).isTrue();
    assertThat(store.enterEventTimer()).isEqualTo(5);
    assertThat(store.key()).isEqualTo("a");
    store.leave();
    assertThat(store.firstProcessingTimer()).isEqualTo(7);
    assertThat(store.enterProcessingTimer()).isEqualTo(7);
    assertThat(store.key()).isEqualTo("b");
    store.leave();
    assertThat(store.size()).isZero();
  }

  @Test
  void rejectsANameWithTwoKindsOfState() {
    store.value(new ValueStateDescriptor<String>("s"));
    assertThatThrownBy(() -> store.list(new ListStateDescriptor<String>("s")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("State 's'")
        .hasMessageContaining("ListStateDescriptor")
        .hasMessageContaining("ValueStateDescriptor");
  }

  @Test
  void stateNeedsACurrentKey() {
    ValueState<String> state = store.value(new ValueStateDescriptor<>("s"));
    assertThatThrownBy(state::value).hasMessageContaining("There is no current key");
  }
}
