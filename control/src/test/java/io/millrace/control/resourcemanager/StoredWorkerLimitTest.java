package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class StoredWorkerLimitTest {
  private final HaStore store = new MemoryHaStore();

  @Test
  void isEmptyUntilALimitIsStored() {
    assertThat(new StoredWorkerLimit(store, 1).begin(4)).isEmpty();
    assertThat(new StoredWorkerLimit(store, 2).begin(4)).isEmpty();
  }

  @Test
  void newestLimitIsKeptForLaterTerms() {
    StoredWorkerLimit first = new StoredWorkerLimit(store, 1);
    first.begin(4);
    first.put(5, 4);
    first.put(3, 4);
    assertThat(new StoredWorkerLimit(store, 2).begin(4)).hasValue(3);
    assertThat(new StoredWorkerLimit(store, 3).begin(4)).hasValue(3);
  }

  @Test
  @Behaviour(
      "D7: a changed maximum holds for later leaders until the configuration changes; a former"
          + " leader cannot change it")
  void changedConfigurationOverridesTheStoredLimit() {
    StoredWorkerLimit first = new StoredWorkerLimit(store, 1);
    first.begin(4);
    first.put(3, 4);
    assertThat(new StoredWorkerLimit(store, 2).begin(8)).isEmpty();
    assertThat(new StoredWorkerLimit(store, 3).begin(4)).isEmpty();
  }

  @Test
  @Behaviour(
      "D7: a changed maximum holds for later leaders until the configuration changes; a former"
          + " leader cannot change it")
  void formerLeaderCannotChangeTheLimit() {
    StoredWorkerLimit first = new StoredWorkerLimit(store, 1);
    first.begin(4);
    StoredWorkerLimit second = new StoredWorkerLimit(store, 2);
    second.begin(4);
    assertThatThrownBy(() -> first.put(5, 4))
        .hasMessage(
            "The limit was not changed: another ResourceManager has replaced this one, of term 1."
                + " Ask again in a few seconds.");
    second.put(2, 4);
    assertThatThrownBy(() -> first.begin(4)).hasMessageContaining("later than");
    assertThat(new StoredWorkerLimit(store, 3).begin(4)).hasValue(2);
  }
}
