package io.millrace.sim.sabotage;

import io.millrace.core.OrderedCopies;
import io.millrace.sim.cluster.SimWiring;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A deliberate violation of an invariant.
 *
 * @param name on the command line
 * @param breaks the violation, in a sentence
 * @param caughtBy the names of the invariants that detect it, as in {@link
 *     io.millrace.sim.cluster.ScenarioRun#rules}
 * @param wiring creates the wiring of each run
 */
public record Sabotage(
    String name, String breaks, List<String> caughtBy, Supplier<SimWiring> wiring) {
  public Sabotage {
    Objects.requireNonNull(name);
    Objects.requireNonNull(breaks);
    caughtBy = OrderedCopies.list(caughtBy);
    Objects.requireNonNull(wiring);
  }

  static Sabotage of(String name, String breaks, Supplier<SimWiring> wiring, String... caughtBy) {
    return new Sabotage(name, breaks, List.of(caughtBy), wiring);
  }
}
