package io.millrace.sim.tool;

import io.millrace.sim.cluster.SimWiring;
import io.millrace.sim.mutant.Mutant;
import io.millrace.sim.mutant.Mutants;
import io.millrace.sim.sabotage.Sabotage;
import io.millrace.sim.sabotage.Sabotages;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The options of the command line. */
record SimOptions(
    long seeds,
    long from,
    Optional<ScenarioKind> scenario,
    Optional<Duration> time,
    boolean nightly,
    List<Sabotage> sabotages,
    List<Mutant> mutants,
    Optional<Long> replay,
    Optional<Path> html,
    List<String> without,
    Optional<List<Long>> digests,
    Optional<SeedScan.Extent> scan) {

  /**
   * Of a nightly run each ninth seed is of this kind, so that all others are those of shorter runs,
   * and the seeds that run again in a second JVM are of all kinds.
   */
  private static final int NIGHTLY_ZOOKEEPER = 9;

  static final String HELP =
      """
    Runs simulated clusters from seeds and checks the invariants after each event.

      tools/sim --seeds N        run N scenarios (default 1000)
                --from S         the first seed (default 0)
                --scenario NAME  only this kind: %s; by default all in turn but zookeeper
                --minutes M      run for M minutes instead of N seeds
                --nightly        run 100000 seeds of all kinds, then all sabotages
                                 Ctrl-C ends the run and prints the results so far.
      tools/sim --sabotage NAME  break a rule on purpose and print after how many of N seeds
                                 it is detected; "all" runs all sabotages from several first
                                 seeds and prints which rules detect which
      tools/sim --mutants NAMES  insert small bugs into production code, one at a time, and print
                                 which are detected by the simulator within N seeds, which only
                                 by unit tests, and which not; "all" or names separated by commas
      tools/sim --replay SEED    print one run, message by message
                --html FILE      draw it as a page instead
                --without PARTS  leave parts out, as in the report of a failure

    Exit code 0: all invariants held, all sabotages were detected, and of the mutants 85 %% by the
    simulator and 98 %% in all. Exit code 1: this was not the case. Exit code 2: an argument is
    invalid.

      Example: tools/sim --seeds 2000
               tools/sim --replay 4711 --scenario elastic --html /tmp/run.html

      Sabotages:
      %s""";

  /** An invalid argument. */
  static final class InvalidArgument extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidArgument(String message) {
      super(message);
    }
  }

  static String help() {
    String sabotages =
        Sabotages.all().stream()
            .map(sabotage -> "  " + sabotage.name() + ": " + sabotage.breaks() + "\n")
            .collect(Collectors.joining());
    return HELP.formatted(kinds(), sabotages);
  }

  static SimOptions of(String[] arguments) {
    long seeds = 1000;
    long from = 0;
    Optional<ScenarioKind> scenario = Optional.empty();
    Optional<Duration> time = Optional.empty();
    boolean nightly = false;
    List<Sabotage> sabotages = List.of();
    List<Mutant> mutants = List.of();
    Optional<Long> replay = Optional.empty();
    Optional<Path> html = Optional.empty();
    List<String> without = new ArrayList<>();
    Optional<List<Long>> digests = Optional.empty();
    Optional<Boolean> scan = Optional.empty();
    List<Long> skipped = List.of();
    Iterator<String> remaining = Arrays.asList(arguments).iterator();
    while (remaining.hasNext()) {
      String option = remaining.next();
      switch (option) {
        case "--seeds" -> seeds = positive(option, remaining);
        case "--from" -> from = number(option, remaining);
        case "--scenario" -> scenario = Optional.of(kind(value(option, remaining)));
        case "--minutes" -> time = Optional.of(Duration.ofMinutes(positive(option, remaining)));
        case "--nightly" -> {
          seeds = 100_000;
          nightly = true;
        }
        case "--sabotage" -> sabotages = sabotages(value(option, remaining));
        case "--mutants" -> mutants = mutants(value(option, remaining));
        case "--scan" -> scan = Optional.of(value(option, remaining).equals("first"));
        case "--skip" -> skipped = numbers(option, value(option, remaining));
        case "--replay" -> replay = Optional.of(number(option, remaining));
        case "--html" -> html = Optional.of(Path.of(value(option, remaining)));
        case "--without" -> without.addAll(Arrays.asList(value(option, remaining).split(",")));
        case "--digests" -> digests = Optional.of(numbers(option, value(option, remaining)));
        default -> throw new InvalidArgument("There is no option '" + option + "'.");
      }
    }
    if (replay.isEmpty() && (html.isPresent() || !without.isEmpty())) {
      throw new InvalidArgument(
          (html.isPresent() ? "--html" : "--without") + " is for one run: add --replay.");
    }
    if (replay.isPresent() && sabotages.size() > 1) {
      throw new InvalidArgument("--replay shows one run: name one sabotage.");
    }
    LinkedHashSet<Long> skippedSeeds = new LinkedHashSet<>(skipped);
    return new SimOptions(
        seeds,
        from,
        scenario,
        time,
        nightly,
        sabotages,
        mutants,
        replay,
        html,
        without,
        digests,
        scan.map(untilFirst -> new SeedScan.Extent(untilFirst, skippedSeeds)));
  }

  /** The options of a nightly run of all sabotages. */
  SimOptions forAllSabotages() {
    return new SimOptions(
        2000,
        from,
        scenario,
        time,
        false,
        Sabotages.all(),
        mutants,
        replay,
        html,
        without,
        digests,
        scan);
  }

  Scenario scenarioOf(long seed) {
    return Scenario.draw(seed, scenario.orElseGet(() -> kindOf(seed)));
  }

  private ScenarioKind kindOf(long seed) {
    return nightly && Math.floorMod(seed, NIGHTLY_ZOOKEEPER) == NIGHTLY_ZOOKEEPER - 1
        ? ScenarioKind.ZOOKEEPER
        : ScenarioKind.ofSeed(seed);
  }

  /** The scenario to replay, without the parts to leave out. */
  Scenario replayed() {
    Scenario whole = scenarioOf(replay.orElseThrow());
    for (String part : without) {
      if (!whole.parts().contains(part)) {
        throw new InvalidArgument(
            "Seed "
                + whole.seed()
                + ", scenario "
                + whole.kind().word()
                + ", has no part '"
                + part
                + "' to leave out, only "
                + String.join(",", whole.parts())
                + ".");
      }
    }
    return without.isEmpty() ? whole : whole.without(without);
  }

  SimWiring wiring() {
    return sabotages.isEmpty() ? new SimWiring() : sabotages.get(0).wiring().get();
  }

  /** The command that repeats the run of a scenario. */
  String replayCommand(Scenario failed) {
    return "tools/sim --replay "
        + failed.seed()
        + " --scenario "
        + failed.kind().word()
        + (failed.removed().isEmpty() ? "" : " --without " + String.join(",", failed.removed()))
        + (sabotages.isEmpty() ? "" : " --sabotage " + sabotages.get(0).name());
  }

  private static ScenarioKind kind(String word) {
    try {
      return ScenarioKind.of(word);
    } catch (IllegalArgumentException e) {
      throw new InvalidArgument(e.getMessage() + ", only " + kinds() + ".");
    }
  }

  private static String kinds() {
    return Arrays.stream(ScenarioKind.values())
        .map(ScenarioKind::word)
        .collect(Collectors.joining(", "));
  }

  private static List<Sabotage> sabotages(String name) {
    if (name.equals("all")) {
      return Sabotages.all();
    }
    return List.of(
        Sabotages.find(name)
            .orElseThrow(() -> new InvalidArgument("There is no sabotage '" + name + "'.")));
  }

  private static List<Mutant> mutants(String names) {
    if (names.equals("all")) {
      return Mutants.all();
    }
    return Arrays.stream(names.split(","))
        .map(
            name ->
                Mutants.all().stream()
                    .filter(mutant -> mutant.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new InvalidArgument("There is no mutant '" + name + "'.")))
        .toList();
  }

  private static String value(String option, Iterator<String> remaining) {
    if (!remaining.hasNext()) {
      throw new InvalidArgument(option + " needs a value.");
    }
    return remaining.next();
  }

  private static long positive(String option, Iterator<String> remaining) {
    long number = number(option, remaining);
    if (number < 1) {
      throw new InvalidArgument(option + " needs a number above 0, not " + number + ".");
    }
    return number;
  }

  private static long number(String option, Iterator<String> remaining) {
    return number(option, value(option, remaining));
  }

  private static List<Long> numbers(String option, String text) {
    return Arrays.stream(text.split(",")).map(one -> number(option, one)).toList();
  }

  private static long number(String option, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new InvalidArgument(option + " needs a number, not '" + text + "'.");
    }
  }
}
