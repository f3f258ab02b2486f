package io.millrace.sim.tool;

import io.millrace.sim.cluster.RunOutcome;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Runs many seeds, one simulation per thread. */
final class SeedCampaign {
  /** Each seed that is a multiple of this is run again in a second JVM. */
  private static final int RECHECK_INTERVAL = 100;

  private static final int MAX_SHRUNK = 5;
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(10);

  private final SimOptions options;
  private final PrintStream out;
  private final BooleanSupplier stopRequested;
  private final long begin = System.nanoTime();
  private final AtomicLong next;
  private final AtomicLong done = new AtomicLong();
  private final List<RunOutcome> failures = new CopyOnWriteArrayList<>();

  /** An exception that ended a thread: a bug of the simulator, not of the simulated cluster. */
  private final AtomicReference<Throwable> simulatorFailure = new AtomicReference<>();

  private final ConcurrentSkipListSet<Long> rechecked = new ConcurrentSkipListSet<>();

  /**
   * @param stopRequested whether to stop before all seeds have run
   */
  SeedCampaign(SimOptions options, PrintStream out, BooleanSupplier stopRequested) {
    this.options = options;
    this.out = out;
    this.stopRequested = stopRequested;
    this.next = new AtomicLong(options.from());
  }

  /** Returns whether all rules held in all seeds. */
  boolean run() throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    int cores = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < cores; i++) {
      Thread thread = new Thread(this::work, "simulation-" + i);
      thread.setUncaughtExceptionHandler(
          (failed, cause) -> simulatorFailure.compareAndSet(null, cause));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        thread.join(PROGRESS_INTERVAL.toMillis());
        if (thread.isAlive()) {
          progress();
        }
      }
    }
    if (simulatorFailure.get() != null) {
      throw new IllegalStateException(
          "The simulator itself failed after " + done.get() + " seeds.", simulatorFailure.get());
    }
    double seconds = seconds();
    List<RunOutcome> failed = new ArrayList<>(failures);
    failed.sort(Comparator.comparingLong(outcome -> outcome.scenario().seed()));
    for (int i = 0; i < failed.size(); i++) {
      report(failed.get(i), i < MAX_SHRUNK && !stopRequested.getAsBoolean());
    }
    // An interruption would stop the second JVM as well.
    int again = stopRequested.getAsBoolean() ? 0 : rechecked.size();
    int differing = again == 0 ? 0 : compare();
    if (stopRequested.getAsBoolean()) {
      out.println("Interrupted: the results are incomplete.");
    }
    out.printf(
        Locale.ROOT,
        "%d seeds in %.1f s, %.1f seeds per second, %d run again in a second JVM%n",
        done.get(),
        seconds,
        done.get() / seconds,
        again);
    out.println(
        (done.get() - failed.size()) + " passed, " + (failed.size() + differing) + " failed");
    return failed.isEmpty() && differing == 0;
  }

  private void work() {
    while (!stopRequested.getAsBoolean()
        && options.time().map(most -> seconds() < most.toSeconds()).orElse(true)) {
      long seed = next.getAndIncrement();
      if (options.time().isEmpty() && seed >= options.from() + options.seeds()) {
        return;
      }
      RunOutcome outcome = Sim.run(options.scenarioOf(seed), options);
      if (!outcome.passed()) {
        failures.add(outcome);
      }
      if (seed % RECHECK_INTERVAL == 0) {
        rechecked.add(seed);
      }
      done.incrementAndGet();
    }
  }

  private void report(RunOutcome failed, boolean shrink) {
    if (shrink) {
      RunOutcome shrunk = new Shrinker(scenario -> Sim.run(scenario, options)).shrink(failed);
      FailureReport.failure(options, failed, shrunk).forEach(out::println);
    } else {
      out.println(
          "FAILED seed "
              + failed.scenario().seed()
              + ", scenario "
              + failed.scenario().kind().word()
              + ": "
              + failed.violation().orElseThrow().sentence()
              + " Replay: "
              + options.replayCommand(failed.scenario()));
    }
  }

  /** The number of rechecked seeds whose runs differ. */
  private int compare() throws IOException, InterruptedException {
    List<Long> seeds = new ArrayList<>(rechecked);
    List<String> others = DigestCheck.inOtherJvm(options, seeds);
    int differing = 0;
    for (int i = 0; i < seeds.size(); i++) {
      String line = DigestCheck.line(options, seeds.get(i));
      if (i >= others.size() || !line.equals(others.get(i))) {
        differing++;
        out.println(
            "FAILED seed "
                + seeds.get(i)
                + ": the run differs in another JVM: "
                + line
                + " here, "
                + (i < others.size() ? others.get(i) : "nothing")
                + " there");
      }
    }
    return differing;
  }

  private void progress() {
    System.err.printf(
        Locale.ROOT,
        "%d of %s seeds, %.1f per second, %d failed%n",
        done.get(),
        options.time().isPresent() ? "many" : String.valueOf(options.seeds()),
        done.get() / seconds(),
        failures.size());
  }

  private double seconds() {
    return Math.max(1e-3, (System.nanoTime() - begin) / 1e9);
  }
}
