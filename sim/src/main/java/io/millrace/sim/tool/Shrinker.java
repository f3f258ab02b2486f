package io.millrace.sim.tool;

import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** Removes parts from a failing scenario, one at a time, while it still fails. */
final class Shrinker {
  private static final int MAX_RUNS = 150;

  private final Function<Scenario, RunOutcome> run;
  private int runs;

  Shrinker(Function<Scenario, RunOutcome> run) {
    this.run = run;
  }

  /** The smallest failing scenario that was found; it violates the same rule. */
  RunOutcome shrink(RunOutcome failed) {
    Scenario whole = failed.scenario();
    String sentence = failed.violation().orElseThrow().sentence();
    List<String> removed = new ArrayList<>();
    RunOutcome smallest = failed;
    boolean again = true;
    while (again) {
      again = false;
      List<String> parts = new ArrayList<>(whole.parts());
      parts.removeAll(removed);
      Collections.reverse(parts);
      for (String part : parts) {
        if (++runs > MAX_RUNS) {
          return smallest;
        }
        List<String> next = new ArrayList<>(removed);
        next.add(part);
        RunOutcome outcome = run.apply(whole.without(next));
        if (outcome.violation().filter(found -> found.sentence().equals(sentence)).isPresent()) {
          removed = next;
          smallest = outcome;
          again = true;
        }
      }
    }
    return smallest;
  }
}
