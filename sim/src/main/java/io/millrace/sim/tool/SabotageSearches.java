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

/** Breaks rules on purpose, one at a time, and tells how soon that is noticed and by what. */
final class SabotageSearches {
  /** From how many first seeds all sabotages are hunted, and how far these are apart. */
  private static final int STARTS = 3;

  private static final long APART = 100_000;

  private final SimOptions wishes;
  private final PrintStream out;
  private final BooleanSupplier enough;

  /**
   * @param enough whether to end before all is done
   */
  SabotageSearches(SimOptions wishes, PrintStream out, BooleanSupplier enough) {
    this.wishes = wishes;
    this.out = out;
    this.enough = enough;
  }

  /** Returns whether every sabotage was caught. */
  boolean run() throws InterruptedException {
    return wishes.sabotages().size() == 1 ? one(wishes.sabotages().get(0)) : all();
  }

  private boolean one(Sabotage sabotage) {
    out.println(sabotage.breaks());
    Optional<SabotageSearch.Caught> caught = hunt(sabotage, wishes.from());
    if (caught.isEmpty()) {
      out.println(
          enough.getAsBoolean()
              ? "Interrupted before it was caught"
              : "NOT caught in " + wishes.seeds() + " seeds");
      return false;
    }
    RunOutcome first = caught.get().outcome();
    RunOutcome shrunk = new Shrinker(scenario -> Sim.quickly(scenario, wishes)).shrink(first);
    FailureReport.failure(wishes, first, shrunk).forEach(out::println);
    out.println("Caught after " + seeds(caught.get().seeds()) + " by " + caught.get().rule());
    return true;
  }

  private Optional<SabotageSearch.Caught> hunt(Sabotage sabotage, long from) {
    return new SabotageSearch(sabotage, wishes.scenario()).from(from, wishes.seeds(), enough);
  }

  private boolean all() throws InterruptedException {
    List<List<Optional<SabotageSearch.Caught>>> hunts =
        wishes.sabotages().stream()
            .<List<Optional<SabotageSearch.Caught>>>map(each -> new CopyOnWriteArrayList<>())
            .toList();
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(() -> work(next, hunts), "hunt-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return tell(hunts);
  }

  private void work(AtomicInteger next, List<List<Optional<SabotageSearch.Caught>>> hunts) {
    for (int n = next.getAndIncrement();
        n < hunts.size() * STARTS && !enough.getAsBoolean();
        n = next.getAndIncrement()) {
      Sabotage sabotage = wishes.sabotages().get(n / STARTS);
      Optional<SabotageSearch.Caught> hunt = hunt(sabotage, wishes.from() + n % STARTS * APART);
      if (hunt.isPresent() || !enough.getAsBoolean()) {
        hunts.get(n / STARTS).add(hunt);
        System.err.println(sabotage.name() + ": " + told(hunt));
      }
    }
  }

  private boolean tell(List<List<Optional<SabotageSearch.Caught>>> hunts) {
    Map<String, Set<String>> noticed = new LinkedHashMap<>();
    ScenarioRun.rules().values().forEach(rule -> noticed.put(rule, new LinkedHashSet<>()));
    out.printf(Locale.ROOT, "%-30s %6s %6s  %s%n", "sabotage", "median", "most", "caught by");
    int caught = 0;
    for (int i = 0; i < hunts.size(); i++) {
      String name = wishes.sabotages().get(i).name();
      Set<String> rules = new LinkedHashSet<>();
      for (Optional<SabotageSearch.Caught> hunt : hunts.get(i)) {
        hunt.ifPresent(found -> rules.add(found.rule()));
      }
      rules.forEach(rule -> noticed.computeIfAbsent(rule, x -> new LinkedHashSet<>()).add(name));
      boolean always = hunts.get(i).size() == STARTS && !hunts.get(i).contains(Optional.empty());
      caught += always ? 1 : 0;
      List<String> seeds = sorted(hunts.get(i));
      out.printf(
          Locale.ROOT,
          "%-30s %6s %6s  %s%s%n",
          name,
          seeds.get(seeds.size() / 2),
          seeds.get(seeds.size() - 1),
          String.join(", ", rules),
          always ? "" : hunts.get(i).size() < STARTS ? " (interrupted)" : " NOT always");
    }
    noticed.forEach(
        (rule, names) -> {
          if (names.isEmpty()) {
            SabotageSearch.forRule(rule, wishes, enough).ifPresent(names::add);
          }
        });
    out.println();
    noticed.forEach(
        (rule, names) ->
            out.printf(
                Locale.ROOT,
                "%-32s %s%n",
                rule,
                names.isEmpty() ? "noticed NOTHING" : String.join(", ", names)));
    out.println();
    out.println(caught + " sabotages caught, " + (hunts.size() - caught) + " not");
    return caught == hunts.size() && noticed.values().stream().noneMatch(Set::isEmpty);
  }

  /** How many seeds the hunts took, in order; a dash for those that found nothing. */
  private static List<String> sorted(List<Optional<SabotageSearch.Caught>> hunts) {
    List<String> seeds =
        hunts.stream()
            .mapToLong(hunt -> hunt.map(SabotageSearch.Caught::seeds).orElse(Long.MAX_VALUE))
            .sorted()
            .mapToObj(count -> count < Long.MAX_VALUE ? String.valueOf(count) : "-")
            .toList();
    return seeds.isEmpty() ? List.of("-") : seeds;
  }

  private static String told(Optional<SabotageSearch.Caught> hunt) {
    return hunt.map(caught -> seeds(caught.seeds()) + ", " + caught.rule()).orElse("NOT caught");
  }

  private static String seeds(long seeds) {
    return seeds == 1 ? "1 seed" : seeds + " seeds";
  }
}
