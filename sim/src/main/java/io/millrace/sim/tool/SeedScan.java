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
 * Tells another process which seeds fail, a line each, as they come. The lines of seeds that passed
 * show that it goes on.
 */
final class SeedScan {
  static final String PASSED = "passed";
  static final String FAILED = "failed";

  private final SimOptions wishes;
  private final PrintStream out;
  private final BooleanSupplier enough;
  private final Map<String, String> names = ScenarioRun.rules();
  private final AtomicLong next;

  /** No seed from here on is of interest. */
  private final AtomicLong end;

  /**
   * How far to look.
   *
   * @param untilFirst whether to end with the first seed that fails
   * @param skipped seeds that are passed over
   */
  record Extent(boolean untilFirst, Set<Long> skipped) {}

  SeedScan(SimOptions wishes, PrintStream out, BooleanSupplier enough) {
    this.wishes = wishes;
    this.out = out;
    this.enough = enough;
    this.next = new AtomicLong(wishes.from());
    this.end = new AtomicLong(wishes.from() + wishes.seeds());
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
        seed < end.get() && !enough.getAsBoolean();
        seed = next.getAndIncrement()) {
      if (!extent.skipped().contains(seed)) {
        tell(seed, Sim.quickly(wishes.scenarioOf(seed), wishes), extent);
      }
    }
  }

  private void tell(long seed, RunOutcome outcome, Extent extent) {
    String line = PASSED + " " + seed;
    if (!outcome.passed()) {
      String sentence = outcome.violation().orElseThrow().sentence();
      line = FAILED + " " + seed + " " + names.getOrDefault(sentence, sentence);
      if (extent.untilFirst()) {
        // Seeds before this one that are still running may fail, too; the lowest counts.
        end.accumulateAndGet(seed, Math::min);
      }
    }
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }
}
