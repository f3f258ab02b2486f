package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
  private static List<FaultKind> draw(long seed, boolean hasDisk, int count) {
    FaultPlan plan = new FaultPlan(new Random(seed), hasDisk);
    List<FaultKind> drawn = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      drawn.add(plan.next());
    }
    return drawn;
  }

  @Test
  void injectsEachKindOnceBeforeItRepeatsOne() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(draw(seed, true, FaultKind.values().length))
          .containsExactlyInAnyOrder(FaultKind.values());
    }
  }

  @Test
  void seedDecidesTheOrder() {
    assertThat(draw(1, true, 50)).isEqualTo(draw(1, true, 50)).isNotEqualTo(draw(2, true, 50));
  }

  @Test
  void disturbsNoDiskThatIsNotThere() {
    assertThat(draw(3, false, 2_000))
        .contains(
            Arrays.stream(FaultKind.values())
                .filter(kind -> !kind.needsDisk)
                .toArray(FaultKind[]::new))
        .noneMatch(kind -> kind.needsDisk);
  }

  @Test
  void laterFaultsFollowTheirWeights() {
    int rounds = 30_000;
    Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
    draw(4, true, rounds).forEach(kind -> counts.merge(kind, 1, Integer::sum));
    int weights = Arrays.stream(FaultKind.values()).mapToInt(kind -> kind.weight).sum();
    counts.forEach(
        (kind, count) ->
            assertThat((double) count / rounds)
                .as("%s", kind)
                .isBetween(0.8 * kind.weight / weights, 1.2 * kind.weight / weights));
  }
}
