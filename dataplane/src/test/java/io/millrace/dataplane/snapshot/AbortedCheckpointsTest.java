package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AbortedCheckpointsTest {
  private final AbortedCheckpoints aborted = new AbortedCheckpoints();

  @Test
  void keepsTheHighestNumbersInWhateverOrderTheyCome() {
    for (long checkpoint = AbortedCheckpoints.LIMIT + 10; checkpoint > 0; checkpoint--) {
      aborted.add(checkpoint);
    }
    assertThat(aborted.contains(10)).isFalse();
    assertThat(aborted.contains(11)).isTrue();
    assertThat(aborted.contains(AbortedCheckpoints.LIMIT + 10)).isTrue();
  }

  @Test
  void forgetsCheckpointsWhoseBarriersHavePassed() {
    for (long checkpoint = 1; checkpoint <= 4; checkpoint++) {
      aborted.add(checkpoint);
    }
    aborted.removeBefore(2);
    assertThat(aborted.contains(1)).isFalse();
    assertThat(aborted.contains(2)).isTrue();
    aborted.removeUpTo(3);
    assertThat(aborted.contains(3)).isFalse();
    assertThat(aborted.contains(4)).isTrue();
  }
}
