package io.millrace.sim.tool;

import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Prints a line per seed for another process. The lines of passed seeds show that the scan has not
 * stalled.
 */
final class SeedScan {
  static final String PASSED = "passed";
  static final String FAILED = "failed";

  private final SimOptions options;
  private final PrintStream out;
  private final BooleanSupplier stopRequested;
  private final Map<String, String> names = ScenarioRun.rules();
  private final AtomicLong next;

  /** The first seed that is not run. */
  private final AtomicLong end;

  /**
   * The extent of a scan.
   *
   * @param untilFirst whether to end with the first failed seed
   * @param skipped seeds that are not run
   */
  record Extent(boolean untilFirst, Set<Long> skipped) {}

  SeedScan(SimOptions options, PrintStream out, BooleanSupplier stopRequested) {
    this.options = options;
    this.out = out;
    this.stopRequested = stopRequested;
    this.next = new AtomicLong(options.from());
    this.end = new AtomicLong(options.from() + options.seeds());
  }

  void run(Extent extent) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(() -> work(extent), "scan-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void work(Extent extent) {
    for (long seed = next.getAndIncrement();
        seed < end.get() && !stopRequested.getAsBoolean();
        seed = next.getAndIncrement()) {
      if (!extent.skipped().contains(seed)) {
        print(seed, Sim.run(options.scenarioOf(seed), options), extent);
      }
    }
  }

  private void print(long seed, RunOutcome outcome, Extent extent) {
    String line = PASSED + " " + seed;
    if (!outcome.passed()) {
      String sentence = outcome.violation().orElseThrow().sentence();
      line = FAILED + " " + seed + " " + names.getOrDefault(sentence, sentence);
      if (extent.untilFirst()) {
        // Lower seeds that still run may fail, too; the lowest one counts.
        end.accumulateAndGet(seed, Math::min);
      }
    }
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }
}
