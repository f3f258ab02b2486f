package io.millrace.sim.tool;

import io.millrace.sim.mutant.Mutant;
import io.millrace.sim.mutant.MutantCompiler;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Gives the classes of the build one small bug at a time and tells who notices: the simulator
 * within some seeds, or else the unit tests of the module and of those that build on it. Each bug
 * runs in processes of its own, which have the changed class first on their class path.
 */
final class MutationRun {
  /** The jars and classes that unit tests need; {@code tools/sim} finds them out. */
  static final String TESTS = "millrace.sim.tests";

  private static final double BY_SIMULATOR = 0.85;
  private static final double BY_EITHER = 0.98;

  /** Longer than any run takes on a busy machine. */
  private static final Duration STALL = Duration.ofMinutes(2);

  private static final Duration MOST = Duration.ofMinutes(30);
  private static final int OUT_OF_MEMORY = 3;

  /** Whose unit tests may notice a bug in which module, the nearest first. */
  private static final Map<String, List<String>> TESTED_BY =
      Map.of(
          "rpc", List.of("rpc", "worker", "control"),
          "worker", List.of("worker"),
          "control", List.of("control"));

  private final Build build;
  private final SimOptions wishes;
  private final List<Mutant> mutants;
  private final PrintStream out;
  private final BooleanSupplier enough;
  private final ForkedRun trial = new ForkedRun(STALL, MOST);
  private final Set<Long> failing = new LinkedHashSet<>();
  private final Map<String, Boolean> soundTests = new LinkedHashMap<>();

  /**
   * What was built, without any mutant.
   *
   * @param root the directory of the whole build
   * @param simulator the class path of the simulator
   * @param tests the class path of unit tests, beside their own classes
   */
  record Build(Path root, String simulator, String tests) {
    /** As {@code tools/sim} runs this process. */
    static Build here() {
      String tests = System.getProperty(TESTS, "");
      if (tests.isEmpty()) {
        throw new IllegalStateException(
            "Run mutants through tools/sim, which finds the unit tests.");
      }
      return new Build(Path.of("").toAbsolutePath(), System.getProperty("java.class.path"), tests);
    }
  }

  /**
   * @param simulator how the simulator noticed
   * @param tests how the unit tests noticed, where they were needed
   */
  private record Verdict(Mutant mutant, Optional<String> simulator, Optional<String> tests) {
    boolean isCaught() {
      return simulator.isPresent() || tests.isPresent();
    }
  }

  /**
   * @param enough whether to end before all is done
   */
  MutationRun(Build build, SimOptions wishes, PrintStream out, BooleanSupplier enough) {
    this.build = build;
    this.wishes = wishes;
    this.mutants = wishes.mutants();
    this.out = out;
    this.enough = enough;
  }

  /** Returns whether enough of them were noticed. */
  boolean run() throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("millrace-mutants");
    try {
      MutantCompiler compiler = new MutantCompiler(build.root(), build.simulator());
      // Before any of them runs, which takes long: a list that does not fit is found at once.
      for (Mutant mutant : mutants) {
        mutant.mutated(build.root());
      }
      learnWhatFailsAnyway(scratch);
      List<Verdict> verdicts = new ArrayList<>();
      for (Mutant mutant : mutants) {
        if (enough.getAsBoolean()) {
          out.println("Interrupted: this is as far as it came.");
          break;
        }
        Path classes = scratch.resolve(mutant.name());
        compiler.compile(List.of(mutant), classes);
        Verdict verdict = judge(mutant, classes);
        verdicts.add(verdict);
        System.err.printf(
            Locale.ROOT, "%d of %d %s%n", verdicts.size(), mutants.size(), line(verdict));
      }
      return tell(verdicts);
    } finally {
      delete(scratch);
    }
  }

  /** Seeds that fail without any mutant show nothing of one. */
  private void learnWhatFailsAnyway(Path scratch) throws IOException, InterruptedException {
    ForkedRun.Ended ended = scan(scratch, "all");
    for (String line : ended.lines()) {
      if (line.startsWith(SeedScan.FAILED + " ")) {
        failing.add(Long.parseLong(line.split(" ")[1]));
      }
    }
    if (ended.hung() || ended.code() != 0) {
      throw new IllegalStateException(
          "The simulator does not come to an end without any mutant: " + last(ended.lines()));
    }
    if (!failing.isEmpty()) {
      out.println("Seeds that fail without any mutant and are passed over: " + failing);
    }
  }

  private Verdict judge(Mutant mutant, Path classes) throws IOException, InterruptedException {
    Optional<String> simulator = simulate(classes);
    Optional<String> tests = Optional.empty();
    for (String module : TESTED_BY.get(mutant.module())) {
      if (simulator.isEmpty() && tests.isEmpty() && !enough.getAsBoolean()) {
        tests = test(module, classes);
      }
    }
    return new Verdict(mutant, simulator, tests);
  }

  private Optional<String> simulate(Path classes) throws IOException, InterruptedException {
    ForkedRun.Ended ended = scan(classes, "first");
    Optional<String> first =
        ended.lines().stream()
            .filter(line -> line.startsWith(SeedScan.FAILED + " "))
            .min(Comparator.comparingLong(line -> Long.parseLong(line.split(" ")[1])));
    if (first.isPresent()) {
      String[] words = first.get().split(" ", 3);
      return Optional.of("seed " + words[1] + ", " + words[2]);
    }
    if (ended.hung()) {
      return Optional.of("it hangs");
    }
    if (ended.code() == OUT_OF_MEMORY) {
      return Optional.of("it runs out of memory");
    }
    if (ended.code() != 0) {
      throw new IllegalStateException("The simulator ended: " + last(ended.lines()));
    }
    return Optional.empty();
  }

  private ForkedRun.Ended scan(Path classes, String extent)
      throws IOException, InterruptedException {
    List<String> command = java(classes + File.pathSeparator + build.simulator());
    command.addAll(
        List.of(
            Sim.class.getName(),
            "--scan",
            extent,
            "--seeds",
            String.valueOf(wishes.seeds()),
            "--from",
            String.valueOf(wishes.from())));
    wishes.scenario().ifPresent(kind -> command.addAll(List.of("--scenario", kind.word())));
    if (!failing.isEmpty()) {
      command.add("--skip");
      command.add(failing.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return trial.run(command, build.root());
  }

  private Optional<String> test(String module, Path classes)
      throws IOException, InterruptedException {
    if (!soundTests.containsKey(module)) {
      Optional<String> failure = testsOf(module, build.root().resolve(module + "/target/classes"));
      soundTests.put(module, failure.isEmpty());
      failure.ifPresent(
          what -> out.println("The unit tests of " + module + " fail without a mutant: " + what));
    }
    return soundTests.get(module) ? testsOf(module, classes) : Optional.empty();
  }

  private Optional<String> testsOf(String module, Path classes)
      throws IOException, InterruptedException {
    Path directory = build.root().resolve(module);
    Path tests = directory.resolve("target/test-classes");
    List<String> command =
        java(
            Stream.of(classes.toString(), tests.toString(), build.tests())
                .collect(Collectors.joining(File.pathSeparator)));
    command.addAll(
        List.of(
            "org.junit.platform.console.ConsoleLauncher",
            "execute",
            "--scan-classpath=" + tests,
            "--details=summary",
            "--disable-banner",
            "--disable-ansi-colors",
            "--fail-fast",
            "--fail-if-no-tests"));
    ForkedRun.Ended ended = trial.run(command, directory);
    if (ended.hung()) {
      return Optional.of(module + " hangs");
    }
    return ended.code() == 0 ? Optional.empty() : Optional.of(failed(module, ended.lines()));
  }

  /** The class and method that the summary names first. */
  private static String failed(String module, List<String> lines) {
    return lines.stream()
        .map(String::strip)
        .filter(line -> line.startsWith("JUnit Jupiter:"))
        .map(line -> line.substring("JUnit Jupiter:".length()))
        .findFirst()
        .orElseGet(() -> module + ": " + last(lines));
  }

  private static List<String> java(String classPath) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            classPath));
  }

  private boolean tell(List<Verdict> verdicts) {
    int bySimulator = 0;
    int byEither = 0;
    out.printf(Locale.ROOT, "%-38s %-22s %-40s %s%n", "mutant", "of", "simulator", "unit tests");
    for (Verdict verdict : verdicts) {
      out.println(line(verdict));
      bySimulator += verdict.simulator().isPresent() ? 1 : 0;
      byEither += verdict.isCaught() ? 1 : 0;
    }
    out.println();
    verdicts.stream()
        .filter(verdict -> !verdict.isCaught())
        .forEach(
            verdict ->
                out.println("SURVIVES " + verdict.mutant().name() + ": " + verdict.mutant().bug()));
    double all = Math.max(1, verdicts.size());
    out.printf(
        Locale.ROOT,
        "%d mutants: %d caught by the simulator within %d seeds (%.1f %%), %d by it or by unit"
            + " tests (%.1f %%), %d by none%n",
        verdicts.size(),
        bySimulator,
        wishes.seeds(),
        100 * bySimulator / all,
        byEither,
        100 * byEither / all,
        verdicts.size() - byEither);
    return verdicts.size() == mutants.size()
        && bySimulator >= BY_SIMULATOR * verdicts.size()
        && byEither >= BY_EITHER * verdicts.size();
  }

  private static String line(Verdict verdict) {
    return String.format(
        Locale.ROOT,
        "%-38s %-22s %-40s %s",
        verdict.mutant().name(),
        verdict.mutant().simpleName(),
        verdict.simulator().orElse("-"),
        verdict.simulator().isPresent() ? "" : verdict.tests().orElse("-"));
  }

  private static String last(List<String> lines) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
