package io.millrace.sim.tool;

import io.millrace.sim.cluster.Run;
import io.millrace.sim.sabotage.Sabotage;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Breaks rules on purpose, one at a time, and tells how soon that is noticed and by what. */
final class Hunts {
  /** From how many first seeds all sabotages are hunted, and how far these are apart. */
  private static final int STARTS = 3;

  private static final long APART = 100_000;

  private final Wishes wishes;
  private final PrintStream out;

  Hunts(Wishes wishes, PrintStream out) {
    this.wishes = wishes;
    this.out = out;
  }

  /** Returns whether every sabotage was caught. */
  boolean run() throws InterruptedException {
    return wishes.sabotages().size() == 1 ? one(wishes.sabotages().get(0)) : all();
  }

  private boolean one(Sabotage sabotage) {
    out.println(sabotage.breaks());
    Optional<Hunt.Caught> caught = hunt(sabotage, wishes.from());
    if (caught.isEmpty()) {
      out.println("NOT caught in " + wishes.seeds() + " seeds");
      return false;
    }
    Report.violation(caught.get().outcome(), new ArrayList<>()).forEach(out::println);
    out.println("  Replay: " + wishes.replayCommand(caught.get().outcome().scenario()));
    out.println("Caught after " + seeds(caught.get().seeds()) + " by " + caught.get().rule());
    return true;
  }

  private Optional<Hunt.Caught> hunt(Sabotage sabotage, long from) {
    return new Hunt(sabotage, wishes.scenario()).from(from, wishes.seeds());
  }

  private boolean all() throws InterruptedException {
    int hunts = wishes.sabotages().size() * STARTS;
    List<Optional<Hunt.Caught>> caught = new ArrayList<>(Collections.nCopies(hunts, null));
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = next.getAndIncrement(); n < hunts; n = next.getAndIncrement()) {
                  Sabotage sabotage = wishes.sabotages().get(n / STARTS);
                  // Each thread has places of its own, which are read when all have ended.
                  caught.set(n, hunt(sabotage, wishes.from() + n % STARTS * APART));
                  System.err.println(sabotage.name() + ": " + told(caught.get(n)));
                }
              },
              "hunt-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return tell(
        IntStream.range(0, wishes.sabotages().size())
            .mapToObj(n -> caught.subList(n * STARTS, (n + 1) * STARTS))
            .toList());
  }

  private boolean tell(List<List<Optional<Hunt.Caught>>> hunts) {
    Map<String, Set<String>> noticed = new LinkedHashMap<>();
    Run.rules().values().forEach(rule -> noticed.put(rule, new LinkedHashSet<>()));
    out.printf(Locale.ROOT, "%-30s %6s  %s%n", "sabotage", "median", "caught by");
    int missed = 0;
    for (int i = 0; i < hunts.size(); i++) {
      String name = wishes.sabotages().get(i).name();
      Set<String> rules = new LinkedHashSet<>();
      List<Long> seeds = new ArrayList<>();
      for (Optional<Hunt.Caught> hunt : hunts.get(i)) {
        hunt.ifPresent(caught -> rules.add(caught.rule()));
        seeds.add(hunt.map(Hunt.Caught::seeds).orElse(Long.MAX_VALUE));
      }
      Collections.sort(seeds);
      boolean always = seeds.get(seeds.size() - 1) < Long.MAX_VALUE;
      missed += always ? 0 : 1;
      rules.forEach(rule -> noticed.computeIfAbsent(rule, x -> new LinkedHashSet<>()).add(name));
      long median = seeds.get(seeds.size() / 2);
      out.printf(
          Locale.ROOT,
          "%-30s %6s  %s%s%n",
          name,
          median < Long.MAX_VALUE ? String.valueOf(median) : "-",
          String.join(", ", rules),
          always ? "" : " NOT always");
    }
    out.println();
    noticed.forEach(
        (rule, names) ->
            out.printf(
                Locale.ROOT,
                "%-32s %s%n",
                rule,
                names.isEmpty() ? "noticed NOTHING" : String.join(", ", names)));
    out.println();
    out.println((hunts.size() - missed) + " sabotages caught, " + missed + " not");
    return missed == 0;
  }

  private static String told(Optional<Hunt.Caught> hunt) {
    return hunt.map(caught -> seeds(caught.seeds()) + ", " + caught.rule()).orElse("NOT caught");
  }

  private static String seeds(long seeds) {
    return seeds == 1 ? "1 seed" : seeds + " seeds";
  }
}
