package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
  private static List<FaultKind> draw(long seed, boolean hasDisk, int count) {
    FaultPlan plan = new FaultPlan(new Random(seed), FaultKind.of(false, hasDisk), 0);
    List<FaultKind> drawn = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      drawn.add(plan.next());
    }
    return drawn;
  }

  @Test
  void injectsEachKindOnceBeforeItRepeatsOne() {
    FaultKind[] kinds = FaultKind.of(false, true).toArray(FaultKind[]::new);
    for (long seed = 0; seed < 20; seed++) {
      assertThat(draw(seed, true, kinds.length)).containsExactlyInAnyOrder(kinds);
    }
  }

  @Test
  void seedDecidesTheOrder() {
    assertThat(draw(1, true, 50)).isEqualTo(draw(1, true, 50)).isNotEqualTo(draw(2, true, 50));
  }

  @Test
  void disturbsNoDiskThatIsNotThere() {
    assertThat(draw(3, false, 2_000))
        .contains(FaultKind.of(false, false).toArray(FaultKind[]::new))
        .noneMatch(kind -> kind.target.needsDisk);
  }

  @Test
  void laterFaultsFollowTheirWeights() {
    int rounds = 30_000;
    Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
    draw(4, true, rounds).forEach(kind -> counts.merge(kind, 1, Integer::sum));
    int weights = FaultKind.of(false, true).stream().mapToInt(kind -> kind.weight).sum();
    counts.forEach(
        (kind, count) ->
            assertThat((double) count / rounds)
                .as("%s", kind)
                .isBetween(0.8 * kind.weight / weights, 1.2 * kind.weight / weights));
  }

  @Test
  void injectsEachKindAsOftenAsAskedInRandomOrderAndEnds() {
    List<FaultKind> kinds = FaultKind.of(true, true);
    FaultPlan plan = new FaultPlan(new Random(5), kinds, 20);
    List<FaultKind> drawn = new ArrayList<>();
    while (plan.hasNext()) {
      drawn.add(plan.next());
    }
    assertThat(kinds).hasSize(7);
    assertThat(kinds).allSatisfy(kind -> assertThat(drawn).filteredOn(kind::equals).hasSize(20));
    assertThat(drawn).hasSize(140).isNotEqualTo(drawn.stream().sorted().toList());
  }

  @Test
  void clustersWithAndWithoutStandbysHaveFaultsOfTheirOwn() {
    assertThat(FaultKind.of(true, true)).doesNotContainAnyElementsOf(FaultKind.of(false, true));
    assertThat(FaultKind.of(true, false)).doesNotContain(FaultKind.REMOVE_STORAGE).hasSize(6);
  }
}
