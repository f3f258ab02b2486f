package io.millrace.soak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Chooses faults from a seed: each kind equally often in random order, or first each kind once and
 * then by weight without an end.
 */
final class FaultPlan {
  private final Random random;
  private final List<FaultKind> kinds;
  private final boolean ends;
  private final ArrayDeque<FaultKind> drawn;

  /**
   * @param each how often each kind comes; 0 for a plan without an end
   */
  FaultPlan(Random random, List<FaultKind> kinds, int each) {
    this.random = random;
    this.kinds = List.copyOf(kinds);
    this.ends = each > 0;
    List<FaultKind> shuffled = new ArrayList<>();
    for (int i = 0; i < Math.max(1, each); i++) {
      shuffled.addAll(kinds);
    }
    Collections.shuffle(shuffled, random);
    this.drawn = new ArrayDeque<>(shuffled);
  }

  boolean hasNext() {
    return !ends || !drawn.isEmpty();
  }

  FaultKind next() {
    FaultKind first = drawn.poll();
    if (first != null) {
      return first;
    }
    int at = random.nextInt(kinds.stream().mapToInt(kind -> kind.weight).sum());
    for (FaultKind kind : kinds) {
      at -= kind.weight;
      if (at < 0) {
        return kind;
      }
    }
    throw new AssertionError("The weights do not add up");
  }
}
