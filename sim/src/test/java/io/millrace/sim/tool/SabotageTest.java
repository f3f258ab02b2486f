package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.sabotage.Sabotages;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SabotageTest {
  /** Few enough for every build; {@code tools/sim --nightly} goes through more of all kinds. */
  private static final int SEEDS = 100;

  private static final int RARE_SEEDS = 400;

  /** Where to look for what is rare: where drivers and leaders have a hard time. */
  private static final List<ScenarioKind> RARE =
      List.of(ScenarioKind.ELASTIC, ScenarioKind.JOBMANAGERS);

  /** One test, because all cores take part in it and what is caught tells which rules catch. */
  @Test
  @Behaviour(
      "Simulation: each sabotage breaks an invariant it is declared to break, and each invariant"
          + " catches one")
  void everySabotageIsCaughtByARuleItBreaksAndEveryRuleCatchesOne() {
    Map<String, Optional<SabotageSearch.Caught>> first =
        Sabotages.all().parallelStream()
            .collect(Collectors.toConcurrentMap(Sabotage::name, each -> hunt(each, rule -> true)));
    Map<String, String> catchers = new TreeMap<>();
    first.forEach(
        (name, caught) ->
            caught.ifPresent(
                found -> catchers.merge(found.rule(), name, (one, other) -> one + ", " + other)));
    // Where another rule is quicker, one that is left is looked for by its name.
    Set<String> left = new TreeSet<>(ScenarioRun.rules().values());
    left.removeAll(catchers.keySet());
    catchers.putAll(
        left.parallelStream()
            .collect(Collectors.toConcurrentMap(rule -> rule, SabotageTest::caughtBy)));
    catchers.values().removeIf(String::isEmpty);

    Map<String, String> unexpected = new TreeMap<>();
    first.forEach(
        (name, caught) -> {
          String rule = caught.map(SabotageSearch.Caught::rule).orElse("nobody");
          if (!Sabotages.find(name).orElseThrow().caughtBy().contains(rule)) {
            unexpected.put(name, rule + ": " + caught.map(SabotageTest::how).orElse("not caught"));
          }
        });
    assertThat(unexpected).as("sabotages that no rule of theirs catches first").isEmpty();
    catchers.forEach((rule, names) -> System.out.println(rule + " caught " + names));
    assertThat(catchers.keySet()).isEqualTo(new TreeSet<>(ScenarioRun.rules().values()));
  }

  private static Optional<SabotageSearch.Caught> hunt(Sabotage sabotage, Predicate<String> rules) {
    Optional<SabotageSearch.Caught> caught = hunt(sabotage, Optional.empty(), rules);
    for (ScenarioKind kind : RARE) {
      caught = caught.or(() -> hunt(sabotage, Optional.of(kind), rules));
    }
    return caught;
  }

  private static Optional<SabotageSearch.Caught> hunt(
      Sabotage sabotage, Optional<ScenarioKind> kind, Predicate<String> rules) {
    int most = kind.isPresent() ? RARE_SEEDS : SEEDS;
    return new SabotageSearch(sabotage, kind).from(0, most, () -> false, rules);
  }

  /** The first sabotage that a rule catches, of those that it is said to. */
  private static String caughtBy(String rule) {
    return Sabotages.all().stream()
        .filter(sabotage -> sabotage.caughtBy().contains(rule))
        .filter(sabotage -> hunt(sabotage, rule::equals).isPresent())
        .map(Sabotage::name)
        .findFirst()
        .orElse("");
  }

  private static String how(SabotageSearch.Caught caught) {
    return caught.outcome().violation().orElseThrow().how();
  }
}
