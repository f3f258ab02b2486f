package io.millrace.sim.tool;

import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import io.millrace.sim.sabotage.Sabotage;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Runs sabotages, one at a time, and reports after how many seeds which rule detects them. */
final class SabotageSearches {
  /** The number of first seeds from which all sabotages are searched, and their distance. */
  private static final int STARTS = 3;

  private static final long APART = 100_000;

  private final SimOptions options;
  private final PrintStream out;
  private final BooleanSupplier stopRequested;

  /**
   * @param stopRequested whether to stop before all sabotages have run
   */
  SabotageSearches(SimOptions options, PrintStream out, BooleanSupplier stopRequested) {
    this.options = options;
    this.out = out;
    this.stopRequested = stopRequested;
  }

  /** Returns whether all sabotages were detected. */
  boolean run() throws InterruptedException {
    return options.sabotages().size() == 1 ? one(options.sabotages().get(0)) : all();
  }

  private boolean one(Sabotage sabotage) {
    out.println(sabotage.breaks());
    Optional<SabotageSearch.Caught> caught = search(sabotage, options.from());
    if (caught.isEmpty()) {
      out.println(
          stopRequested.getAsBoolean()
              ? "Interrupted before it was caught"
              : "NOT caught in " + options.seeds() + " seeds");
      return false;
    }
    RunOutcome first = caught.get().outcome();
    RunOutcome shrunk = new Shrinker(scenario -> Sim.run(scenario, options)).shrink(first);
    FailureReport.failure(options, first, shrunk).forEach(out::println);
    out.println("Caught after " + seeds(caught.get().seeds()) + " by " + caught.get().rule());
    return true;
  }

  private Optional<SabotageSearch.Caught> search(Sabotage sabotage, long from) {
    return new SabotageSearch(sabotage, options::scenarioOf)
        .from(from, options.seeds(), stopRequested);
  }

  private boolean all() throws InterruptedException {
    List<List<Optional<SabotageSearch.Caught>>> searches =
        options.sabotages().stream()
            .<List<Optional<SabotageSearch.Caught>>>map(each -> new CopyOnWriteArrayList<>())
            .toList();
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(() -> work(next, searches), "search-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return report(searches);
  }

  private void work(AtomicInteger next, List<List<Optional<SabotageSearch.Caught>>> searches) {
    for (int n = next.getAndIncrement();
        n < searches.size() * STARTS && !stopRequested.getAsBoolean();
        n = next.getAndIncrement()) {
      Sabotage sabotage = options.sabotages().get(n / STARTS);
      Optional<SabotageSearch.Caught> result =
          search(sabotage, options.from() + n % STARTS * APART);
      if (result.isPresent() || !stopRequested.getAsBoolean()) {
        searches.get(n / STARTS).add(result);
        System.err.println(
            sabotage.name() + ": " + result.map(SabotageSearches::line).orElse("NOT caught"));
      }
    }
  }

  private boolean report(List<List<Optional<SabotageSearch.Caught>>> searches) {
    Map<String, Set<String>> detected = new LinkedHashMap<>();
    ScenarioRun.rules().values().forEach(rule -> detected.put(rule, new LinkedHashSet<>()));
    out.printf(Locale.ROOT, "%-30s %6s %6s  %s%n", "sabotage", "median", "most", "caught by");
    int caught = 0;
    for (int i = 0; i < searches.size(); i++) {
      String name = options.sabotages().get(i).name();
      Set<String> rules = new LinkedHashSet<>();
      for (Optional<SabotageSearch.Caught> result : searches.get(i)) {
        result.ifPresent(found -> rules.add(found.rule()));
      }
      rules.forEach(rule -> detected.computeIfAbsent(rule, x -> new LinkedHashSet<>()).add(name));
      boolean always =
          searches.get(i).size() == STARTS && !searches.get(i).contains(Optional.empty());
      caught += always ? 1 : 0;
      List<String> seeds = sorted(searches.get(i));
      out.printf(
          Locale.ROOT,
          "%-30s %6s %6s  %s%s%n",
          name,
          seeds.get(seeds.size() / 2),
          seeds.get(seeds.size() - 1),
          String.join(", ", rules),
          always ? "" : searches.get(i).size() < STARTS ? " (interrupted)" : " NOT always");
    }
    detected.forEach(
        (rule, names) -> {
          if (names.isEmpty()) {
            SabotageSearch.forRule(rule, options, stopRequested).ifPresent(names::add);
          }
        });
    out.println();
    detected.forEach(
        (rule, names) ->
            out.printf(
                Locale.ROOT,
                "%-32s %s%n",
                rule,
                names.isEmpty() ? "detected NOTHING" : String.join(", ", names)));
    out.println();
    out.println(caught + " sabotages caught, " + (searches.size() - caught) + " not");
    return caught == searches.size() && detected.values().stream().noneMatch(Set::isEmpty);
  }

  /** The numbers of seeds in order; a dash for searches without a result. */
  private static List<String> sorted(List<Optional<SabotageSearch.Caught>> results) {
    List<String> seeds =
        results.stream()
            .mapToLong(result -> result.map(SabotageSearch.Caught::seeds).orElse(Long.MAX_VALUE))
            .sorted()
            .mapToObj(count -> count < Long.MAX_VALUE ? String.valueOf(count) : "-")
            .toList();
    return seeds.isEmpty() ? List.of("-") : seeds;
  }

  private static String line(SabotageSearch.Caught caught) {
    return seeds(caught.seeds()) + ", " + caught.rule();
  }

  private static String seeds(long seeds) {
    return seeds == 1 ? "1 seed" : seeds + " seeds";
  }
}
