package io.millrace.sim.sabotage;

import io.millrace.sim.cluster.Wiring;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A rule that is broken on purpose.
 *
 * @param name on the command line
 * @param breaks which rule it breaks and how, in a sentence
 * @param wiring made anew for each run
 */
public record Sabotage(String name, String breaks, Supplier<Wiring> wiring) {
  public Sabotage {
    Objects.requireNonNull(name);
    Objects.requireNonNull(breaks);
    Objects.requireNonNull(wiring);
  }
}
