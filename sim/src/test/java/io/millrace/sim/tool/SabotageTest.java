package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sim.cluster.Run;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.sabotage.Sabotages;
import io.millrace.sim.scenario.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SabotageTest {
  /** Few enough for every build; {@code tools/sim --nightly} goes through more of all kinds. */
  private static final int SEEDS = 100;

  /** Where to look for what is rare: where drivers and leaders have a hard time. */
  private static final List<Kind> RARE = List.of(Kind.ELASTIC, Kind.JOBMANAGERS);

  /** One test, because all cores take part in it. */
  @Test
  void everySabotageIsCaughtByTheRuleItBreaks() {
    List<String> missed =
        Sabotages.all().parallelStream()
            .map(SabotageTest::missed)
            .flatMap(Optional::stream)
            .toList();
    assertThat(missed).isEmpty();
  }

  @Test
  void everyRuleIsBrokenBySomeSabotage() {
    Set<String> broken =
        Sabotages.all().stream()
            .flatMap(sabotage -> sabotage.caughtBy().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(broken).isEqualTo(new TreeSet<>(Run.rules().values()));
  }

  private static Optional<String> missed(Sabotage sabotage) {
    Optional<Hunt.Caught> caught = new Hunt(sabotage, Optional.empty()).from(0, SEEDS, () -> false);
    for (Kind kind : RARE) {
      caught = caught.or(() -> new Hunt(sabotage, Optional.of(kind)).from(0, SEEDS, () -> false));
    }
    if (caught.isEmpty()) {
      return Optional.of(sabotage.name() + " was not caught");
    }
    return caught
        .filter(by -> !sabotage.caughtBy().contains(by.rule()))
        .map(
            by ->
                sabotage.name()
                    + " was caught by "
                    + by.rule()
                    + ": "
                    + by.outcome().violation().orElseThrow().how());
  }
}
