package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Looks for the first seed in which somebody notices a sabotage. */
final class SabotageSearch {
  /** The names of rules by their sentences. */
  private static final Map<String, String> NAMES = ScenarioRun.rules();

  private final Sabotage sabotage;
  private final Optional<ScenarioKind> kind;

  /**
   * @param kind the only kind of scenario; otherwise all take turns
   */
  SabotageSearch(Sabotage sabotage, Optional<ScenarioKind> kind) {
    this.sabotage = sabotage;
    this.kind = kind;
  }

  /**
   * The sabotage was noticed.
   *
   * @param seeds how many seeds it took
   * @param rule the name of the rule that did not hold
   */
  record Caught(long seeds, String rule, RunOutcome outcome) {}

  /** Tries one seed after the other, at most so many, until somebody has had enough. */
  Optional<Caught> from(long first, long most, BooleanSupplier enough) {
    return from(first, most, enough, rule -> true);
  }

  /**
   * The same for some rules only: seeds in which another one notices it are passed over.
   *
   * @param rules tells by the name of a rule whether it counts
   */
  Optional<Caught> from(long first, long most, BooleanSupplier enough, Predicate<String> rules) {
    for (long seed = first; seed < first + most && !enough.getAsBoolean(); seed++) {
      RunOutcome outcome = run(seed);
      if (!outcome.passed()) {
        String sentence = outcome.violation().orElseThrow().sentence();
        String rule = NAMES.getOrDefault(sentence, sentence);
        if (rules.test(rule) && holdsWithout(seed)) {
          return Optional.of(new Caught(seed - first + 1, rule, outcome));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The name of a sabotage that a rule notices, of those that it is said to, also where others are
   * quicker in other seeds.
   */
  static Optional<String> forRule(String rule, SimOptions wishes, BooleanSupplier enough) {
    return wishes.sabotages().stream()
        .filter(sabotage -> sabotage.caughtBy().contains(rule))
        .filter(
            sabotage ->
                new SabotageSearch(sabotage, wishes.scenario())
                    .from(wishes.from(), wishes.seeds(), enough, rule::equals)
                    .isPresent())
        .map(Sabotage::name)
        .findFirst();
  }

  private RunOutcome run(long seed) {
    return ScenarioRun.of(scenario(seed), sabotage.wiring().get(), new Trace());
  }

  /** A seed that fails in any case shows nothing of the sabotage. */
  private boolean holdsWithout(long seed) {
    return ScenarioRun.of(scenario(seed), new SimWiring(), new Trace()).passed();
  }

  private Scenario scenario(long seed) {
    return Scenario.draw(seed, kind.orElseGet(() -> ScenarioKind.turn(seed)));
  }
}
