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
  /** The time for the last run of each thread and the summary after an interruption. */
  private static final Duration SUMMARY_TIMEOUT = Duration.ofSeconds(10);

  private Sim() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    AtomicBoolean stopRequested = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> awaitSummary(stopRequested, done), "interrupted"));
    int code;
    try {
      code = run(arguments, out, stopRequested::get);
      out.flush();
    } finally {
      done.countDown();
    }
    System.exit(code);
  }

  /** Waits for the summary of an interrupted command. */
  private static void awaitSummary(AtomicBoolean stopRequested, CountDownLatch done) {
    stopRequested.set(true);
    try {
      done.await(SUMMARY_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the command until it is complete or a stop is requested. Returns the exit code. */
  static int run(String[] arguments, PrintStream out, BooleanSupplier stopRequested)
      throws IOException, InterruptedException {
    if (List.of(arguments).contains("--help")) {
      out.print(SimOptions.help());
      return 0;
    }
    try {
      return run(SimOptions.of(arguments), out, stopRequested);
    } catch (SimOptions.InvalidArgument e) {
      out.println(e.getMessage() + " See tools/sim --help");
      return 2;
    }
  }

  private static int run(SimOptions options, PrintStream out, BooleanSupplier stopRequested)
      throws IOException, InterruptedException {
    if (options.digests().isPresent()) {
      options.digests().get().forEach(seed -> out.println(DigestCheck.line(options, seed)));
      return 0;
    }
    if (options.scan().isPresent()) {
      new SeedScan(options, out, stopRequested).run(options.scan().get());
      return 0;
    }
    if (!options.mutants().isEmpty()) {
      return new MutationRun(MutationRun.Build.here(), options, out, stopRequested).run() ? 0 : 1;
    }
    if (options.replay().isPresent()) {
      return replay(options, out);
    }
    if (!options.sabotages().isEmpty()) {
      return new SabotageSearches(options, out, stopRequested).run() ? 0 : 1;
    }
    boolean held = new SeedCampaign(options, out, stopRequested).run();
    if (options.nightly() && !stopRequested.getAsBoolean()) {
      held &= new SabotageSearches(options.forAllSabotages(), out, stopRequested).run();
    }
    return held ? 0 : 1;
  }

  private static int replay(SimOptions options, PrintStream out) throws IOException {
    Scenario scenario = options.replayed();
    scenario.lines().forEach(out::println);
    RunOutcome outcome;
    if (options.html().isPresent()) {
      HtmlTrace trace = new HtmlTrace(scenario);
      outcome = ScenarioRun.of(scenario, options.wiring(), trace);
      Files.writeString(options.html().get(), trace.html(outcome));
      out.println("Drawn in " + options.html().get());
    } else {
      outcome = ScenarioRun.of(scenario, options.wiring(), new TextTrace(out::println));
    }
    out.println("digest " + outcome.digest());
    if (outcome.passed()) {
      out.println("Everything held.");
    } else {
      FailureReport.violation(outcome, new ArrayList<>()).forEach(out::println);
    }
    return outcome.passed() ? 0 : 1;
  }

  /** Runs a scenario without a readable trace. */
  static RunOutcome run(Scenario scenario, SimOptions options) {
    return ScenarioRun.of(scenario, options.wiring(), new Trace());
  }
}
