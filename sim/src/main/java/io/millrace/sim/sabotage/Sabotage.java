package io.millrace.sim.sabotage;

import io.millrace.core.OrderedCopies;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A deliberate violation of an invariant.
 *
 * @param name on the command line
 * @param breaks the violation, in a sentence
 * @param caughtBy the names of the invariants that detect it, as in {@link
 *     io.millrace.sim.cluster.ScenarioRun#rules}
 * @param wiring creates the wiring of each run
 * @param kind the only kind of scenarios in which it has an effect; empty for any
 */
public record Sabotage(
    String name,
    String breaks,
    List<String> caughtBy,
    Supplier<SimWiring> wiring,
    Optional<ScenarioKind> kind) {
  public Sabotage {
    Objects.requireNonNull(name);
    Objects.requireNonNull(breaks);
    caughtBy = OrderedCopies.list(caughtBy);
    Objects.requireNonNull(wiring);
    Objects.requireNonNull(kind);
  }

  /** The scenario of a seed: of the only kind in which the sabotage has an effect, if any. */
  public Scenario scenario(long seed, LongFunction<Scenario> others) {
    return kind.map(only -> Scenario.draw(seed, only)).orElseGet(() -> others.apply(seed));
  }

  static Sabotage of(String name, String breaks, Supplier<SimWiring> wiring, String... caughtBy) {
    return new Sabotage(name, breaks, List.of(caughtBy), wiring, Optional.empty());
  }

  /** Only in scenarios of this kind. */
  Sabotage in(ScenarioKind only) {
    return new Sabotage(name, breaks, caughtBy, wiring, Optional.of(only));
  }
}
