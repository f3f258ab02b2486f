package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.scenario.Scenario;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/** Searches for the first seed in which a rule detects a sabotage. */
final class SabotageSearch {
  /** The names of rules by their sentences. */
  private static final Map<String, String> NAMES = ScenarioRun.rules();

  private final Sabotage sabotage;
  private final LongFunction<Scenario> scenarios;

  /**
   * @param scenarios the scenario of each seed
   */
  SabotageSearch(Sabotage sabotage, LongFunction<Scenario> scenarios) {
    this.sabotage = sabotage;
    this.scenarios = seed -> sabotage.scenario(seed, scenarios);
  }

  /**
   * A detected sabotage.
   *
   * @param seeds the number of seeds that were run
   * @param rule the name of the violated rule
   */
  record Caught(long seeds, String rule, RunOutcome outcome) {}

  /** Runs up to {@code most} seeds, until a rule detects the sabotage or a stop is requested. */
  Optional<Caught> from(long first, long most, BooleanSupplier stopRequested) {
    return from(first, most, stopRequested, rule -> true);
  }

  /**
   * The same with some rules only. Seeds in which another rule detects the sabotage are skipped.
   *
   * @param rules selects rules by name
   */
  Optional<Caught> from(
      long first, long most, BooleanSupplier stopRequested, Predicate<String> rules) {
    for (long seed = first; seed < first + most && !stopRequested.getAsBoolean(); seed++) {
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
   * The name of a sabotage that a rule detects, of those that are declared to violate it. Seeds in
   * which another rule is first are skipped.
   */
  static Optional<String> forRule(String rule, SimOptions options, BooleanSupplier stopRequested) {
    return options.sabotages().stream()
        .filter(sabotage -> sabotage.caughtBy().contains(rule))
        .filter(
            sabotage ->
                new SabotageSearch(sabotage, options::scenarioOf)
                    .from(options.from(), options.seeds(), stopRequested, rule::equals)
                    .isPresent())
        .map(Sabotage::name)
        .findFirst();
  }

  private RunOutcome run(long seed) {
    return ScenarioRun.of(scenarios.apply(seed), sabotage.wiring().get(), new Trace());
  }

  /** A seed that fails without the sabotage does not count. */
  private boolean holdsWithout(long seed) {
    return ScenarioRun.of(scenarios.apply(seed), new SimWiring(), new Trace()).passed();
  }
}
