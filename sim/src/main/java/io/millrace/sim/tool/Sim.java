package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.Outcome;
import io.millrace.sim.cluster.Run;
import io.millrace.sim.scenario.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** The command {@code tools/sim}. */
public final class Sim {
  private Sim() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    int code = run(arguments, out);
    out.flush();
    System.exit(code);
  }

  static int run(String[] arguments, PrintStream out) throws IOException, InterruptedException {
    Wishes wishes;
    try {
      if (List.of(arguments).contains("--help")) {
        out.print(Wishes.help());
        return 0;
      }
      wishes = Wishes.of(arguments);
    } catch (Wishes.Misunderstood e) {
      out.println(e.getMessage());
      out.print(Wishes.help());
      return 2;
    }
    if (wishes.digests().isPresent()) {
      wishes.digests().get().forEach(seed -> out.println(Digests.line(wishes, seed)));
      return 0;
    }
    if (wishes.replay().isPresent()) {
      return replay(wishes, out);
    }
    if (!wishes.sabotages().isEmpty()) {
      return new Hunts(wishes, out).run() ? 0 : 1;
    }
    boolean held = new Campaign(wishes, out).run();
    if (wishes.nightly()) {
      held &= new Hunts(wishes.forAllSabotages(), out).run();
    }
    return held ? 0 : 1;
  }

  private static int replay(Wishes wishes, PrintStream out) throws IOException {
    Scenario scenario = wishes.scenarioOf(wishes.replay().orElseThrow());
    if (!wishes.without().isEmpty()) {
      scenario = scenario.without(wishes.without());
    }
    scenario.lines().forEach(out::println);
    Outcome outcome;
    if (wishes.html().isPresent()) {
      HtmlTrace page = new HtmlTrace(scenario);
      outcome = Run.of(scenario, wishes.wiring(), page);
      Files.writeString(wishes.html().get(), page.html(outcome));
      out.println("Drawn in " + wishes.html().get());
    } else {
      outcome = Run.of(scenario, wishes.wiring(), new TextTrace(out::println));
    }
    out.println("digest " + outcome.digest());
    if (outcome.passed()) {
      out.println("Everything held.");
    } else {
      Report.violation(outcome, new ArrayList<>()).forEach(out::println);
    }
    return outcome.passed() ? 0 : 1;
  }

  /** Without anything for people to read; the quickest way to an outcome. */
  static Outcome quickly(Scenario scenario, Wishes wishes) {
    return Run.of(scenario, wishes.wiring(), new Trace());
  }
}
