package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.Outcome;
import java.util.ArrayList;
import java.util.List;

/** What is said of a failure. */
final class Report {
  private Report() {}

  static List<String> failure(Wishes wishes, Outcome first, Outcome shrunk) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        "FAILED seed " + first.scenario().seed() + ", scenario " + first.scenario().kind().word());
    List<String> left = shrunk.scenario().lines();
    if (!shrunk.scenario().removed().isEmpty()) {
      lines.add("  (shrunk: " + shrunk.scenario().removed().size() + " parts left out)");
    }
    left.forEach(line -> lines.add("  " + line));
    violation(shrunk, lines);
    lines.add("  Replay: " + wishes.replayCommand(shrunk.scenario()));
    return lines;
  }

  static List<String> violation(Outcome outcome, List<String> lines) {
    Outcome.Violation violation = outcome.violation().orElseThrow();
    lines.add("  Should hold: " + violation.sentence());
    lines.add(Trace.line(violation.at().toNanos(), violation.how()));
    lines.add("  The last journal entries:");
    violation.decisions().forEach(line -> lines.add("  " + line));
    return lines;
  }
}
