package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.sabotage.Sabotages;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SabotageTest {
  /** Few enough for each build; {@code tools/sim --nightly} runs more seeds of all kinds. */
  private static final int SEEDS = 100;

  private static final int RARE_SEEDS = 400;

  /** The scenarios for sabotages that others detect rarely: with faults of drivers and leaders. */
  private static final List<ScenarioKind> RARE =
      List.of(ScenarioKind.ELASTIC, ScenarioKind.JOBMANAGERS);

  /** One test, because it uses all cores and its results show which rules detect sabotages. */
  @Test
  @Behaviour(
      "Simulation: each sabotage breaks an invariant it is declared to break, and each invariant"
          + " catches one")
  void eachSabotageIsDetectedByDeclaredRuleAndEachRuleDetectsOne() {
    Map<String, Optional<SabotageSearch.Caught>> first =
        Sabotages.all().parallelStream()
            .collect(
                Collectors.toConcurrentMap(Sabotage::name, each -> search(each, rule -> true)));
    Map<String, String> catchers = new TreeMap<>();
    first.forEach(
        (name, caught) ->
            caught.ifPresent(
                found -> catchers.merge(found.rule(), name, (one, other) -> one + ", " + other)));
    // A rule that is never first is searched for by its name.
    Set<String> left = new TreeSet<>(ScenarioRun.rules().values());
    left.removeAll(catchers.keySet());
    catchers.putAll(
        left.parallelStream()
            .collect(Collectors.toConcurrentMap(rule -> rule, SabotageTest::caughtBy)));
    catchers.values().removeIf(String::isEmpty);

    assertExpected(first);
    catchers.forEach((rule, names) -> System.out.println(rule + " caught " + names));
    assertThat(catchers.keySet()).isEqualTo(new TreeSet<>(ScenarioRun.rules().values()));
  }

  private static void assertExpected(Map<String, Optional<SabotageSearch.Caught>> first) {
    Map<String, String> unexpected = new TreeMap<>();
    first.forEach(
        (name, caught) -> {
          String rule = caught.map(SabotageSearch.Caught::rule).orElse("none");
          if (!Sabotages.find(name).orElseThrow().caughtBy().contains(rule)) {
            unexpected.put(name, rule + ": " + caught.map(SabotageTest::how).orElse("not caught"));
          }
        });
    assertThat(unexpected).as("sabotages that no rule of theirs catches first").isEmpty();
  }

  private static Optional<SabotageSearch.Caught> search(
      Sabotage sabotage, Predicate<String> rules) {
    Optional<SabotageSearch.Caught> caught =
        new SabotageSearch(sabotage, SimOptions.of(new String[0])::scenarioOf)
            .from(0, SEEDS, () -> false, rules);
    for (ScenarioKind kind : RARE) {
      caught =
          caught.or(
              () ->
                  new SabotageSearch(sabotage, seed -> Scenario.draw(seed, kind))
                      .from(0, RARE_SEEDS, () -> false, rules));
    }
    return caught;
  }

  /** The first sabotage that a rule detects, of those that are declared to violate it. */
  private static String caughtBy(String rule) {
    return Sabotages.all().stream()
        .filter(sabotage -> sabotage.caughtBy().contains(rule))
        .filter(sabotage -> search(sabotage, rule::equals).isPresent())
        .map(Sabotage::name)
        .findFirst()
        .orElse("");
  }

  private static String how(SabotageSearch.Caught caught) {
    return caught.outcome().violation().orElseThrow().how();
  }
}
