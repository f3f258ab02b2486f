package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** States with a time to live of 100 ms, on a clock of the test. */
class StateTtlTest {
  private static final StateTtl AFTER_WRITE = StateTtl.afterWrite(Duration.ofMillis(100));
  private static final StateTtl AFTER_READ = StateTtl.afterReadOrWrite(Duration.ofMillis(100));

  private long now = 1_000;
  private final HeapKeyedStateBackend store = backend();

  private HeapKeyedStateBackend backend() {
    return new HeapKeyedStateBackend(StateSnapshots.copier(), () -> now, "");
  }

  private interface Access {
    void run() throws Exception;
  }

  private void with(Object key, Access access) throws Exception {
    store.enter(key);
    access.run();
    store.leave();
  }

  private static ValueStateDescriptor<String> text(StateTtl ttl) {
    return new ValueStateDescriptor<String>("text").withTtl(ttl);
  }

  @Test
  @Behaviour("H1: a keyed state with a time to live expires")
  void valueExpiresAfterItsLastWrite() throws Exception {
    ValueState<String> state = store.value(text(AFTER_WRITE));

    with("a", () -> state.update("one"));
    now += 99;
    with("a", () -> assertThat(state.value()).isEqualTo("one"));
    with("a", () -> state.update("two"));
    now += 99;
    with("a", () -> assertThat(state.value()).isEqualTo("two"));
    now += 1;
    with("a", () -> assertThat(state.value()).isNull());
    assertThat(store.size()).isZero();
  }

  @Test
  void readingExtendsTheLifeOnlyIfToldSo() throws Exception {
    ValueState<String> state = store.value(text(AFTER_READ));

    with("a", () -> state.update("one"));
    for (int i = 0; i < 5; i++) {
      now += 99;
      with("a", () -> assertThat(state.value()).isEqualTo("one"));
    }
    now += 100;
    with("a", () -> assertThat(state.value()).isNull());
  }

  private static final class Sum implements AggregateFunction<Integer, Integer, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer create() {
      return 0;
    }

    @Override
    public Integer add(Integer sum, Integer number) {
      return sum + number;
    }

    @Override
    public Integer result(Integer sum) {
      return sum;
    }
  }

  @Test
  void everyKindOfStateStartsAnewAfterItHasExpired() throws Exception {
    var list = store.list(new ListStateDescriptor<Integer>("list").withTtl(AFTER_WRITE));
    var map = store.map(new MapStateDescriptor<String, Integer>("map").withTtl(AFTER_WRITE));
    var reducing =
        store.reducing(
            new ReducingStateDescriptor<Integer>("reducing", Integer::sum).withTtl(AFTER_WRITE));
    var aggregating =
        store.aggregating(
            new AggregatingStateDescriptor<>("aggregating", new Sum()).withTtl(AFTER_WRITE));
    for (int round = 0; round < 2; round++) {
      with(
          7L,
          () -> {
            list.add(1);
            map.put("x", 1);
            reducing.add(1);
            aggregating.add(1);
          });
      now += 60;
      with(
          7L,
          () -> {
            list.addAll(List.of(2, 3));
            map.put("y", 2);
            reducing.add(2);
            aggregating.add(2);
          });
      now += 60;
      with(
          7L,
          () -> {
            assertThat(list.values()).containsExactly(1, 2, 3);
            assertThat(map.entries()).isEqualTo(Map.of("x", 1, "y", 2));
            assertThat(map.contains("x")).isTrue();
            assertThat(reducing.value()).isEqualTo(3);
            assertThat(aggregating.value()).isEqualTo(3);
          });
      now += 100;
    }
    with(
        7L,
        () -> {
          assertThat(list.values()).isEmpty();
          assertThat(map.isEmpty()).isTrue();
          assertThat(map.get("x")).isNull();
          assertThat(reducing.value()).isNull();
          assertThat(aggregating.value()).isNull();
        });
    assertThat(store.size()).isZero();
  }

  @Test
  void statesOfKeysThatAreNotUsedAnyMoreAreRemoved() throws Exception {
    ValueState<String> state = store.value(text(AFTER_WRITE));
    ValueState<String> lasting = store.value(new ValueStateDescriptor<>("lasting"));
    for (int i = 0; i < 3_000; i++) {
      int key = i;
      with(
          key,
          () -> {
            state.update("text");
            if (key % 1000 == 0) {
              lasting.update("lasting");
            }
          });
    }
    assertThat(store.size()).isEqualTo(3_000);
    now += 100;
    for (int i = 0; i < 1_600; i++) {
      with("active", () -> state.update("text"));
    }

    assertThat(store.size()).as("three keys have another state").isEqualTo(4);
    with(1000, () -> assertThat(lasting.value()).isEqualTo("lasting"));
    with(1000, () -> assertThat(state.value()).isNull());
  }

  /** The state of a snapshot, restored into another backend. */
  private static Map<Object, Long> copy(HeapKeyedStateBackend from, HeapKeyedStateBackend to) {
    Map<Object, Long> times = new TreeMap<>();
    for (StatePart frozen : from.freeze()) {
      TablePart part = (TablePart) frozen;
      for (int slot = part.keys().next(0); slot >= 0; slot = part.keys().next(slot + 1)) {
        Object key = part.keys().key(slot);
        part.entries(
            slot,
            (start, end, value) -> {
              times.put(key, start);
              to.restore(part.info(), key, start, value);
            });
      }
      part.release();
    }
    return times;
  }

  @Test
  void snapshotHasTimesAndNothingThatHasExpired() throws Exception {
    ValueState<String> state = store.value(text(AFTER_WRITE));
    with("old", () -> state.update("text"));
    now += 60;
    with("new", () -> state.update("text"));
    now += 40;
    HeapKeyedStateBackend restored = backend();

    assertThat(copy(store, restored)).isEqualTo(Map.of("new", 1_060L));

    ValueState<String> after = restored.value(text(AFTER_WRITE));
    now += 59;
    restored.enter("new");
    assertThat(after.value()).isEqualTo("text");
    now += 1;
    assertThat(after.value()).isNull();
    restored.leave();
  }

  @Test
  void timeToLiveCanBeSwitchedOnAndOffBetweenRuns() throws Exception {
    ValueState<String> lasting = store.value(text(StateTtl.NONE));
    with("a", () -> lasting.update("text"));
    now += 1_000;
    HeapKeyedStateBackend withTtl = backend();
    copy(store, withTtl);
    ValueState<String> limited = withTtl.value(text(AFTER_WRITE));
    now += 99;
    withTtl.enter("a");
    assertThat(limited.value()).as("its life starts with the restore").isEqualTo("text");
    withTtl.leave();

    HeapKeyedStateBackend withoutTtl = backend();
    copy(withTtl, withoutTtl);
    ValueState<String> again = withoutTtl.value(text(StateTtl.NONE));
    now += 1_000;
    withoutTtl.enter("a");
    assertThat(again.value()).isEqualTo("text");
    withoutTtl.leave();
    assertThat(withoutTtl.freeze().get(0).info())
        .isEqualTo(new StateInfo("text", StateKind.VALUE, false, false));
  }

  @Test
  void oneStateHasOneTimeToLive() {
    store.value(text(AFTER_WRITE));

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> store.value(text(AFTER_READ)))
        .withMessageContaining("State 'text' is asked for with two times to live");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> StateTtl.afterWrite(Duration.ZERO))
        .withMessage("The time to live of a state is 1 ms or more, not PT0S.");
  }
}
