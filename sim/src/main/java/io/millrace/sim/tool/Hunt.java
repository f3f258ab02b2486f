package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.Outcome;
import io.millrace.sim.cluster.Run;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.scenario.Kind;
import io.millrace.sim.scenario.Scenario;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Looks for the first seed in which somebody notices a sabotage. */
final class Hunt {
  private final Sabotage sabotage;
  private final Optional<Kind> kind;

  /**
   * @param kind the only kind of scenario; otherwise all take turns
   */
  Hunt(Sabotage sabotage, Optional<Kind> kind) {
    this.sabotage = sabotage;
    this.kind = kind;
  }

  /**
   * The sabotage was noticed.
   *
   * @param seeds how many seeds it took
   * @param rule the name of the rule that did not hold
   */
  record Caught(long seeds, String rule, Outcome outcome) {}

  /** Tries one seed after the other, at most so many, until somebody has had enough. */
  Optional<Caught> from(long first, long most, BooleanSupplier enough) {
    for (long seed = first; seed < first + most && !enough.getAsBoolean(); seed++) {
      Outcome outcome = run(seed);
      if (!outcome.passed()) {
        String sentence = outcome.violation().orElseThrow().sentence();
        return Optional.of(
            new Caught(seed - first + 1, Run.rules().getOrDefault(sentence, sentence), outcome));
      }
    }
    return Optional.empty();
  }

  private Outcome run(long seed) {
    Scenario scenario = Scenario.draw(seed, kind.orElseGet(() -> Kind.turn(seed)));
    return Run.of(scenario, sabotage.wiring().get(), new Trace());
  }
}
