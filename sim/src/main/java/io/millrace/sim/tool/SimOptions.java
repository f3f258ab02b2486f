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

/** What the command line asks for. */
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

  static final String HELP =
      """
      Runs simulated clusters from seeds and checks after every event that what must hold holds.

        tools/sim --seeds N        run N scenarios (1000 where nothing is said)
                  --from S         the first seed (0)
                  --scenario NAME  only this kind: %s; otherwise all take turns
                  --minutes M      go on for so long instead of for N seeds
                  --nightly        run 100000, then all sabotages
                                   Ctrl-C ends it early with what is known by then.
        tools/sim --sabotage NAME  break a rule on purpose and tell after how many seeds, of N,
                                   that was noticed; "all" breaks one after the other, from
                                   several first seeds, and tells which rules noticed what
        tools/sim --mutants NAMES  give production code small bugs, one at a time, and tell which the
                                   simulator notices within N seeds, which only unit tests do and
                                   which nobody; "all" or names with commas in between
        tools/sim --replay SEED    show one run, message by message
                  --html FILE      and draw it as a page
                  --without PARTS  leave parts out, as a failure's report says

      Ends with 0 where everything held, every sabotage was caught, and of the mutants 85 %% by the
      simulator and 98 %% at all; with 1 where not, with 2 where it was asked for something that it
      does not know.

      Example: tools/sim --seeds 2000
               tools/sim --replay 4711 --scenario elastic --html /tmp/run.html

      Sabotages:
      %s""";

  /** A command line that cannot be understood. */
  static final class Misunderstood extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Misunderstood(String message) {
      super(message);
    }
  }

  static String help() {
    String sabotages =
        Sabotages.all().stream()
            .map(known -> "  " + known.name() + ": " + known.breaks() + "\n")
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
    Iterator<String> words = Arrays.asList(arguments).iterator();
    while (words.hasNext()) {
      String option = words.next();
      switch (option) {
        case "--seeds" -> seeds = positive(option, words);
        case "--from" -> from = number(option, words);
        case "--scenario" -> scenario = Optional.of(kind(value(option, words)));
        case "--minutes" -> time = Optional.of(Duration.ofMinutes(positive(option, words)));
        case "--nightly" -> {
          seeds = 100_000;
          nightly = true;
        }
        case "--sabotage" -> sabotages = sabotages(value(option, words));
        case "--mutants" -> mutants = mutants(value(option, words));
        case "--scan" -> scan = Optional.of(value(option, words).equals("first"));
        case "--skip" -> skipped = numbers(option, value(option, words));
        case "--replay" -> replay = Optional.of(number(option, words));
        case "--html" -> html = Optional.of(Path.of(value(option, words)));
        case "--without" -> without.addAll(Arrays.asList(value(option, words).split(",")));
        case "--digests" -> digests = Optional.of(numbers(option, value(option, words)));
        default -> throw new Misunderstood("There is no option '" + option + "'.");
      }
    }
    if (replay.isEmpty() && (html.isPresent() || !without.isEmpty())) {
      throw new Misunderstood(
          (html.isPresent() ? "--html" : "--without") + " is for one run: say which by --replay.");
    }
    if (replay.isPresent() && sabotages.size() > 1) {
      throw new Misunderstood("--replay shows one run: say which sabotage.");
    }
    LinkedHashSet<Long> passedOver = new LinkedHashSet<>(skipped);
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
        scan.map(untilFirst -> new SeedScan.Extent(untilFirst, passedOver)));
  }

  /** To hunt all sabotages for as long as it may take. */
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
    return Scenario.draw(seed, scenario.orElseGet(() -> ScenarioKind.turn(seed)));
  }

  /** The run to show, without what is to be left out of it. */
  Scenario replayed() {
    Scenario whole = scenarioOf(replay.orElseThrow());
    for (String part : without) {
      if (!whole.parts().contains(part)) {
        throw new Misunderstood(
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

  /** What makes this run again, for a seed. */
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
      throw new Misunderstood(e.getMessage() + ", only " + kinds() + ".");
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
            .orElseThrow(() -> new Misunderstood("There is no sabotage '" + name + "'.")));
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
                    .orElseThrow(() -> new Misunderstood("There is no mutant '" + name + "'.")))
        .toList();
  }

  private static String value(String option, Iterator<String> words) {
    if (!words.hasNext()) {
      throw new Misunderstood(option + " needs a value.");
    }
    return words.next();
  }

  private static long positive(String option, Iterator<String> words) {
    long number = number(option, words);
    if (number < 1) {
      throw new Misunderstood(option + " needs a number above 0, not " + number + ".");
    }
    return number;
  }

  private static long number(String option, Iterator<String> words) {
    return number(option, value(option, words));
  }

  private static List<Long> numbers(String option, String text) {
    return Arrays.stream(text.split(",")).map(one -> number(option, one)).toList();
  }

  private static long number(String option, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new Misunderstood(option + " needs a number, not '" + text + "'.");
    }
  }
}
