package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.scenario.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** The command {@code tools/sim}. */
public final class Sim {
  /** For the last run of each thread and the summary, after an interruption. */
  private static final Duration AT_LAST = Duration.ofSeconds(10);

  private Sim() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    AtomicBoolean enough = new AtomicBoolean();
    CountDownLatch told = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(enough, told), "interrupted"));
    int code;
    try {
      code = run(arguments, out, enough::get);
      out.flush();
    } finally {
      told.countDown();
    }
    System.exit(code);
  }

  /** Whoever is interrupted still tells what is known by then. */
  private static void end(AtomicBoolean enough, CountDownLatch told) {
    enough.set(true);
    try {
      told.await(AT_LAST.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the command until it has done all or somebody has had enough. */
  static int run(String[] arguments, PrintStream out, BooleanSupplier enough)
      throws IOException, InterruptedException {
    if (List.of(arguments).contains("--help")) {
      out.print(SimOptions.help());
      return 0;
    }
    try {
      return run(SimOptions.of(arguments), out, enough);
    } catch (SimOptions.Misunderstood e) {
      out.println(e.getMessage() + " See tools/sim --help");
      return 2;
    }
  }

  private static int run(SimOptions wishes, PrintStream out, BooleanSupplier enough)
      throws IOException, InterruptedException {
    if (wishes.digests().isPresent()) {
      wishes.digests().get().forEach(seed -> out.println(DigestCheck.line(wishes, seed)));
      return 0;
    }
    if (wishes.scan().isPresent()) {
      new SeedScan(wishes, out, enough).run(wishes.scan().get());
      return 0;
    }
    if (!wishes.mutants().isEmpty()) {
      return new MutationRun(MutationRun.Build.here(), wishes, out, enough).run() ? 0 : 1;
    }
    if (wishes.replay().isPresent()) {
      return replay(wishes, out);
    }
    if (!wishes.sabotages().isEmpty()) {
      return new SabotageSearches(wishes, out, enough).run() ? 0 : 1;
    }
    boolean held = new SeedCampaign(wishes, out, enough).run();
    if (wishes.nightly() && !enough.getAsBoolean()) {
      held &= new SabotageSearches(wishes.forAllSabotages(), out, enough).run();
    }
    return held ? 0 : 1;
  }

  private static int replay(SimOptions wishes, PrintStream out) throws IOException {
    Scenario scenario = wishes.replayed();
    scenario.lines().forEach(out::println);
    RunOutcome outcome;
    if (wishes.html().isPresent()) {
      HtmlTrace page = new HtmlTrace(scenario);
      outcome = ScenarioRun.of(scenario, wishes.wiring(), page);
      Files.writeString(wishes.html().get(), page.html(outcome));
      out.println("Drawn in " + wishes.html().get());
    } else {
      outcome = ScenarioRun.of(scenario, wishes.wiring(), new TextTrace(out::println));
    }
    out.println("digest " + outcome.digest());
    if (outcome.passed()) {
      out.println("Everything held.");
    } else {
      FailureReport.violation(outcome, new ArrayList<>()).forEach(out::println);
    }
    return outcome.passed() ? 0 : 1;
  }

  /** Without anything for people to read; the quickest way to an outcome. */
  static RunOutcome quickly(Scenario scenario, SimOptions wishes) {
    return ScenarioRun.of(scenario, wishes.wiring(), new Trace());
  }
}
