package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadAheadStoreTest {
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");

  private final HaStore store = new MemoryHaStore();

  @Test
  void readsAKeyAgainAfterItsFirstRead() {
    long first = store.write("a", ONE, HaStore.ABSENT, 1);
    HaStore ahead = new ReadAheadStore(store, List.of("a", "b"));
    long second = store.write("a", TWO, first, 1);
    store.write("b", ONE, HaStore.ABSENT, 1);

    assertThat(ahead.read("a")).contains(new HaStore.Versioned(ONE, first));
    assertThat(ahead.read("a")).contains(new HaStore.Versioned(TWO, second));
    assertThat(ahead.read("b")).isEmpty();
    assertThat(ahead.read("b").orElseThrow().value()).isEqualTo(ONE);
  }

  @Test
  void refusesAWriteOverAValueThatWasChangedSince() {
    long first = store.write("a", ONE, HaStore.ABSENT, 1);
    HaStore ahead = new ReadAheadStore(store, List.of("a"));
    store.write("a", TWO, first, 1);

    assertThatThrownBy(() -> ahead.write("a", ONE, ahead.read("a").orElseThrow().version(), 1))
        .isInstanceOf(StaleWriteException.class);
    assertThat(store.read("a").orElseThrow().value()).isEqualTo(TWO);
  }

  @Test
  void readsWhatItHasWritten() {
    HaStore ahead = new ReadAheadStore(store, List.of("a"));
    long first = ahead.write("a", ONE, HaStore.ABSENT, 1);

    assertThat(ahead.read("a")).contains(new HaStore.Versioned(ONE, first));
  }
}
