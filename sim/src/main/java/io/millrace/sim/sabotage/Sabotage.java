package io.millrace.sim.sabotage;

import io.millrace.core.OrderedCopies;
import io.millrace.sim.cluster.SimWiring;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A rule that is broken on purpose.
 *
 * @param name on the command line
 * @param breaks which rule it breaks and how, in a sentence
 * @param caughtBy the names of the rules that notice it, as {@link
 *     io.millrace.sim.cluster.ScenarioRun#rules} has them
 * @param wiring made anew for each run
 */
public record Sabotage(
    String name, String breaks, List<String> caughtBy, Supplier<SimWiring> wiring) {
  public Sabotage {
    Objects.requireNonNull(name);
    Objects.requireNonNull(breaks);
    caughtBy = OrderedCopies.list(caughtBy);
    Objects.requireNonNull(wiring);
  }
}
