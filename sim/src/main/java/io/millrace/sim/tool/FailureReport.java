package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.RunOutcome;
import java.util.ArrayList;
import java.util.List;

/** Renders failures. */
final class FailureReport {
  private FailureReport() {}

  static List<String> failure(SimOptions options, RunOutcome first, RunOutcome shrunk) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        "FAILED seed " + first.scenario().seed() + ", scenario " + first.scenario().kind().word());
    List<String> parts = shrunk.scenario().lines();
    if (!shrunk.scenario().removed().isEmpty()) {
      lines.add("  (shrunk: " + shrunk.scenario().removed().size() + " parts left out)");
    }
    parts.forEach(line -> lines.add("  " + line));
    violation(shrunk, lines);
    lines.add("  Replay: " + options.replayCommand(shrunk.scenario()));
    return lines;
  }

  static List<String> violation(RunOutcome outcome, List<String> lines) {
    RunOutcome.Violation violation = outcome.violation().orElseThrow();
    lines.add("  Should hold: " + violation.sentence());
    lines.add(Trace.line(violation.at().toNanos(), violation.how()));
    lines.add("  The last journal entries:");
    violation.decisions().forEach(line -> lines.add("  " + line));
    return lines;
  }
}
