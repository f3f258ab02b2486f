package io.millrace.sim.cluster;

import io.millrace.core.OrderedCopies;
import io.millrace.sim.scenario.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outcome of a run.
 *
 * @param digest the digest of the trace
 * @param effective how many faults of each kind have affected a process, and their effects
 * @param events the number of events
 * @param time the virtual time
 */
public record RunOutcome(
    Scenario scenario,
    String digest,
    Optional<Violation> violation,
    Map<String, Integer> effective,
    long events,
    Duration time) {
  public RunOutcome {
    effective = OrderedCopies.map(effective);
  }

  /**
   * An invariant was violated.
   *
   * @param sentence the invariant
   * @param how the details
   * @param at the virtual time
   * @param decisions the last entries of all journals
   */
  public record Violation(String sentence, String how, Duration at, List<String> decisions) {
    public Violation {
      decisions = OrderedCopies.list(decisions);
    }
  }

  public boolean passed() {
    return violation.isEmpty();
  }
}
