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
 * Runs mutants one at a time and reports what detects them: the simulator within some seeds, or the
 * unit tests of the module and of its dependents. Each mutant runs in separate processes, which
 * have the changed class first on their class path.
 */
final class MutationRun {
  /** The class path of unit tests, which {@code tools/sim} sets. */
  static final String TESTS = "millrace.sim.tests";

  private static final double REQUIRED_BY_SIMULATOR = 0.85;
  private static final double REQUIRED_IN_ALL = 0.98;

  /** Longer than any run on a busy machine. */
  private static final Duration STALL = Duration.ofMinutes(2);

  private static final Duration MOST = Duration.ofMinutes(30);
  private static final int OUT_OF_MEMORY = 3;

  /** The modules whose unit tests may detect a mutant of a module, the nearest first. */
  private static final Map<String, List<String>> TESTED_BY =
      Map.of(
          "rpc", List.of("rpc", "worker", "control"),
          "worker", List.of("worker"),
          "control", List.of("control"));

  private final Build build;
  private final SimOptions options;
  private final List<Mutant> mutants;
  private final PrintStream out;
  private final BooleanSupplier stopRequested;
  private final ForkedRun fork = new ForkedRun(STALL, MOST);
  private final Set<Long> failing = new LinkedHashSet<>();
  private final Map<String, Boolean> testsPass = new LinkedHashMap<>();

  /**
   * The build without mutants.
   *
   * @param root the directory of the whole build
   * @param simulator the class path of the simulator
   * @param tests the class path of unit tests, without the test classes of the module
   */
  record Build(Path root, String simulator, String tests) {
    /** The build of this process, as {@code tools/sim} starts it. */
    static Build here() {
      String tests = System.getProperty(TESTS, "");
      if (tests.isEmpty()) {
        throw new IllegalStateException(
            "Run mutants through tools/sim, which sets the class path of unit tests.");
      }
      return new Build(Path.of("").toAbsolutePath(), System.getProperty("java.class.path"), tests);
    }
  }

  /**
   * @param simulator how the simulator has detected the mutant
   * @param tests how the unit tests have detected it; empty also if they were not needed
   */
  private record Result(Mutant mutant, Optional<String> simulator, Optional<String> tests) {
    boolean isCaught() {
      return simulator.isPresent() || tests.isPresent();
    }
  }

  /**
   * @param stopRequested whether to stop before all mutants have run
   */
  MutationRun(Build build, SimOptions options, PrintStream out, BooleanSupplier stopRequested) {
    this.build = build;
    this.options = options;
    this.mutants = options.mutants();
    this.out = out;
    this.stopRequested = stopRequested;
  }

  /** Returns whether the required share of mutants was detected. */
  boolean run() throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("millrace-mutants");
    try {
      MutantCompiler compiler = new MutantCompiler(build.root(), build.simulator());
      // All sources are checked first, because the runs take long.
      for (Mutant mutant : mutants) {
        mutant.mutated(build.root());
      }
      findFailingSeeds(scratch);
      List<Result> results = new ArrayList<>();
      for (Mutant mutant : mutants) {
        if (stopRequested.getAsBoolean()) {
          out.println("Interrupted: the results are incomplete.");
          break;
        }
        Path classes = scratch.resolve(mutant.name());
        compiler.compile(List.of(mutant), classes);
        Result result = run(mutant, classes);
        results.add(result);
        System.err.printf(
            Locale.ROOT, "%d of %d %s%n", results.size(), mutants.size(), line(result));
      }
      return report(results);
    } finally {
      delete(scratch);
    }
  }

  /** Seeds that fail without a mutant are skipped. */
  private void findFailingSeeds(Path scratch) throws IOException, InterruptedException {
    ForkedRun.Ended ended = scan(scratch, "all");
    for (String line : ended.lines()) {
      if (line.startsWith(SeedScan.FAILED + " ")) {
        failing.add(Long.parseLong(line.split(" ")[1]));
      }
    }
    if (ended.hung() || ended.code() != 0) {
      throw new IllegalStateException(
          "The simulator does not end without a mutant: " + lastLines(ended.lines()));
    }
    if (!failing.isEmpty()) {
      out.println("Seeds that fail without a mutant and are skipped: " + failing);
    }
  }

  private Result run(Mutant mutant, Path classes) throws IOException, InterruptedException {
    Optional<String> simulator = simulate(classes);
    Optional<String> tests = Optional.empty();
    for (String module : TESTED_BY.get(mutant.module())) {
      if (simulator.isEmpty() && tests.isEmpty() && !stopRequested.getAsBoolean()) {
        tests = test(module, classes);
      }
    }
    return new Result(mutant, simulator, tests);
  }

  private Optional<String> simulate(Path classes) throws IOException, InterruptedException {
    ForkedRun.Ended ended = scan(classes, "first");
    Optional<String> first =
        ended.lines().stream()
            .filter(line -> line.startsWith(SeedScan.FAILED + " "))
            .min(Comparator.comparingLong(line -> Long.parseLong(line.split(" ")[1])));
    if (first.isPresent()) {
      String[] parts = first.get().split(" ", 3);
      return Optional.of("seed " + parts[1] + ", " + parts[2]);
    }
    if (ended.hung()) {
      return Optional.of("it hangs");
    }
    if (ended.code() == OUT_OF_MEMORY) {
      return Optional.of("it runs out of memory");
    }
    if (ended.code() != 0) {
      throw new IllegalStateException("The simulator ended: " + lastLines(ended.lines()));
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
            String.valueOf(options.seeds()),
            "--from",
            String.valueOf(options.from())));
    options.scenario().ifPresent(kind -> command.addAll(List.of("--scenario", kind.word())));
    if (!failing.isEmpty()) {
      command.add("--skip");
      command.add(failing.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return fork.run(command, build.root());
  }

  private Optional<String> test(String module, Path classes)
      throws IOException, InterruptedException {
    if (!testsPass.containsKey(module)) {
      Optional<String> failure = testsOf(module, build.root().resolve(module + "/target/classes"));
      testsPass.put(module, failure.isEmpty());
      failure.ifPresent(
          what -> out.println("The unit tests of " + module + " fail without a mutant: " + what));
    }
    return testsPass.get(module) ? testsOf(module, classes) : Optional.empty();
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
    ForkedRun.Ended ended = fork.run(command, directory);
    if (ended.hung()) {
      return Optional.of(module + " hangs");
    }
    return ended.code() == 0 ? Optional.empty() : Optional.of(firstFailure(module, ended.lines()));
  }

  /** The first failed class and method of the summary. */
  private static String firstFailure(String module, List<String> lines) {
    return lines.stream()
        .map(String::strip)
        .filter(line -> line.startsWith("JUnit Jupiter:"))
        .map(line -> line.substring("JUnit Jupiter:".length()))
        .findFirst()
        .orElseGet(() -> module + ": " + lastLines(lines));
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

  private boolean report(List<Result> results) {
    int bySimulator = 0;
    int byEither = 0;
    out.printf(Locale.ROOT, "%-38s %-22s %-40s %s%n", "mutant", "of", "simulator", "unit tests");
    for (Result result : results) {
      out.println(line(result));
      bySimulator += result.simulator().isPresent() ? 1 : 0;
      byEither += result.isCaught() ? 1 : 0;
    }
    out.println();
    results.stream()
        .filter(result -> !result.isCaught())
        .forEach(
            result ->
                out.println("SURVIVES " + result.mutant().name() + ": " + result.mutant().bug()));
    double all = Math.max(1, results.size());
    out.printf(
        Locale.ROOT,
        "%d mutants: %d caught by the simulator within %d seeds (%.1f %%), %d by it or by unit"
            + " tests (%.1f %%), %d by none%n",
        results.size(),
        bySimulator,
        options.seeds(),
        100 * bySimulator / all,
        byEither,
        100 * byEither / all,
        results.size() - byEither);
    return results.size() == mutants.size()
        && bySimulator >= REQUIRED_BY_SIMULATOR * results.size()
        && byEither >= REQUIRED_IN_ALL * results.size();
  }

  private static String line(Result result) {
    return String.format(
        Locale.ROOT,
        "%-38s %-22s %-40s %s",
        result.mutant().name(),
        result.mutant().simpleName(),
        result.simulator().orElse("-"),
        result.simulator().isPresent() ? "" : result.tests().orElse("-"));
  }

  private static String lastLines(List<String> lines) {
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
