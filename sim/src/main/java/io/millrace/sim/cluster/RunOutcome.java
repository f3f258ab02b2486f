package io.millrace.sim.cluster;

import io.millrace.core.OrderedCopies;
import io.millrace.sim.scenario.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a run came to.
 *
 * @param digest over everything that happened
 * @param effective how many faults of each kind met somebody, and what came of them
 * @param events how many events there were
 * @param time how much virtual time went by
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
   * Something did not hold.
   *
   * @param sentence what should have held
   * @param how how it did not
   * @param at when that was
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
