package io.millrace.soak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Chooses faults from a seed: first each kind once, in random order, then by weight. */
final class FaultPlan {
  private final Random random;
  private final List<FaultKind> kinds;
  private final ArrayDeque<FaultKind> firstRound;

  FaultPlan(Random random, boolean hasDisk) {
    this.random = random;
    this.kinds =
        Arrays.stream(FaultKind.values()).filter(kind -> hasDisk || !kind.needsDisk).toList();
    List<FaultKind> shuffled = new ArrayList<>(kinds);
    Collections.shuffle(shuffled, random);
    this.firstRound = new ArrayDeque<>(shuffled);
  }

  FaultKind next() {
    FaultKind first = firstRound.poll();
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
