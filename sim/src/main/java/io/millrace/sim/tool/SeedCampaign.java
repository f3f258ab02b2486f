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

/** Many seeds, one simulation a thread. */
final class SeedCampaign {
  private static final int TWICE = 100;
  private static final int SHRUNK = 5;
  private static final Duration PROGRESS = Duration.ofSeconds(10);

  private final SimOptions wishes;
  private final PrintStream out;
  private final BooleanSupplier enough;
  private final long begin = System.nanoTime();
  private final AtomicLong next;
  private final AtomicLong done = new AtomicLong();
  private final List<RunOutcome> failures = new CopyOnWriteArrayList<>();

  /** What ended a thread: a fault of the simulator, not of the simulated cluster. */
  private final AtomicReference<Throwable> broken = new AtomicReference<>();

  private final ConcurrentSkipListSet<Long> checked = new ConcurrentSkipListSet<>();

  /**
   * @param enough whether to end before all is done
   */
  SeedCampaign(SimOptions wishes, PrintStream out, BooleanSupplier enough) {
    this.wishes = wishes;
    this.out = out;
    this.enough = enough;
    this.next = new AtomicLong(wishes.from());
  }

  /** Returns whether everything held. */
  boolean run() throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    int cores = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < cores; i++) {
      Thread thread = new Thread(this::work, "simulation-" + i);
      thread.setUncaughtExceptionHandler((died, cause) -> broken.compareAndSet(null, cause));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        thread.join(PROGRESS.toMillis());
        if (thread.isAlive()) {
          progress();
        }
      }
    }
    if (broken.get() != null) {
      throw new IllegalStateException(
          "The simulator itself failed after " + done.get() + " seeds.", broken.get());
    }
    double seconds = seconds();
    List<RunOutcome> failed = new ArrayList<>(failures);
    failed.sort(Comparator.comparingLong(outcome -> outcome.scenario().seed()));
    for (int i = 0; i < failed.size(); i++) {
      tell(failed.get(i), i < SHRUNK && !enough.getAsBoolean());
    }
    // A second JVM would be interrupted as well.
    int again = enough.getAsBoolean() ? 0 : checked.size();
    int differing = again == 0 ? 0 : compare();
    if (enough.getAsBoolean()) {
      out.println("Interrupted: this is as far as it came.");
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
    while (!enough.getAsBoolean()
        && wishes.time().map(most -> seconds() < most.toSeconds()).orElse(true)) {
      long seed = next.getAndIncrement();
      if (wishes.time().isEmpty() && seed >= wishes.from() + wishes.seeds()) {
        return;
      }
      RunOutcome outcome = Sim.quickly(wishes.scenarioOf(seed), wishes);
      if (!outcome.passed()) {
        failures.add(outcome);
      }
      if (seed % TWICE == 0) {
        checked.add(seed);
      }
      done.incrementAndGet();
    }
  }

  private void tell(RunOutcome failed, boolean shrink) {
    if (shrink) {
      RunOutcome shrunk = new Shrinker(scenario -> Sim.quickly(scenario, wishes)).shrink(failed);
      FailureReport.failure(wishes, failed, shrunk).forEach(out::println);
    } else {
      out.println(
          "FAILED seed "
              + failed.scenario().seed()
              + ", scenario "
              + failed.scenario().kind().word()
              + ": "
              + failed.violation().orElseThrow().sentence()
              + " Replay: "
              + wishes.replayCommand(failed.scenario()));
    }
  }

  /** How many of the seeds that are run twice differ. */
  private int compare() throws IOException, InterruptedException {
    List<Long> seeds = new ArrayList<>(checked);
    List<String> elsewhere = DigestCheck.elsewhere(wishes, seeds);
    int differing = 0;
    for (int i = 0; i < seeds.size(); i++) {
      String here = DigestCheck.line(wishes, seeds.get(i));
      if (i >= elsewhere.size() || !here.equals(elsewhere.get(i))) {
        differing++;
        out.println(
            "FAILED seed "
                + seeds.get(i)
                + ": another JVM sees another run: "
                + here
                + " here, "
                + (i < elsewhere.size() ? elsewhere.get(i) : "nothing")
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
        wishes.time().isPresent() ? "many" : String.valueOf(wishes.seeds()),
        done.get() / seconds(),
        failures.size());
  }

  private double seconds() {
    return Math.max(1e-3, (System.nanoTime() - begin) / 1e9);
  }
}
