package io.millrace.bench.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code ScaleBench [--workers 1000,3000,10000] [--repeats 3] [--scenarios lanes,hash,jobs]}: the
 * cost of the control plane on clusters of these sizes.
 *
 * <p>Each scenario and size runs in its own JVM, which warms up on small clusters. A second JVM
 * measures the heap.
 */
public final class ScaleBench {
  private static final String BEGIN = "<!-- figures: tools/bench scale writes them -->";
  private static final String END = "<!-- end of figures -->";

  /** Heap per TaskManager, including messages in flight. */
  private static final int KILOBYTES_PER_WORKER = 140;

  private static final int BASE_MEGABYTES = 1500;

  private ScaleBench() {}

  public static void main(String[] arguments) throws Exception {
    List<Integer> sizes = List.of(1000, 3000, 10_000);
    List<ScaleScenario> scenarios = List.of(ScaleScenario.values());
    int repeats = 3;
    for (int i = 0; i < arguments.length; i += 2) {
      String value = i + 1 < arguments.length ? arguments[i + 1] : "";
      switch (arguments[i]) {
        case "--workers" ->
            sizes = Arrays.stream(value.split(",")).map(Integer::valueOf).sorted().toList();
        case "--repeats" -> repeats = Integer.parseInt(value);
        case "--scenarios" ->
            scenarios =
                Arrays.stream(value.split(","))
                    .map(name -> ScaleScenario.valueOf(name.toUpperCase(Locale.ROOT)))
                    .toList();
        default -> {
          System.err.println(
              "Usage: tools/bench scale [--workers N,N…] [--repeats N] [--scenarios lanes,hash,jobs]");
          System.exit(2);
        }
      }
    }
    Map<ScaleScenario, ScaleFigures> measured = new LinkedHashMap<>();
    for (ScaleScenario scenario : scenarios) {
      ScaleFigures figures = new ScaleFigures();
      for (int workers : sizes) {
        System.out.println(scenario.title() + ", " + workers + " workers");
        for (Map<String, Double> run : run(scenario, workers, repeats)) {
          figures.add(workers, run);
        }
        run(scenario, workers, 0).forEach(run -> figures.add(workers, run));
      }
      measured.put(scenario, figures);
    }
    write(measured, sizes);
  }

  private static void write(Map<ScaleScenario, ScaleFigures> measured, List<Integer> sizes)
      throws IOException {
    Path root = Path.of(System.getProperty("bench.root")).toAbsolutePath();
    ScaleReport report = new ScaleReport(measured);
    System.out.println(report.tables());
    String name =
        "scale-"
            + sizes.stream().map(String::valueOf).collect(Collectors.joining("-"))
            + "-"
            + LocalDate.now(ZoneOffset.UTC);
    Path results = root.resolve("bench/results");
    Files.createDirectories(results);
    Files.writeString(results.resolve(name + ".json"), report.json());
    System.out.println("Raw figures: " + results.resolve(name + ".json"));
    // With one size there is no curve, and the figures of the page stay unchanged.
    if (sizes.size() > 1) {
      Files.writeString(root.resolve("docs/scale.svg"), new ScalePlot(measured).draw());
      Path page = root.resolve("docs/scale.md");
      String text = Files.readString(page);
      int begin = text.indexOf(BEGIN) + BEGIN.length();
      int end = text.indexOf(END);
      if (begin < BEGIN.length() || end < begin) {
        throw new IOException(page + " does not contain the markers " + BEGIN + " … " + END);
      }
      Files.writeString(
          page, text.substring(0, begin) + "\n\n" + report.tables() + text.substring(end));
      System.out.println("Tables and plot: " + page);
    }
  }

  /** The figures of each run; those of the heap if repeats is 0. */
  private static List<Map<String, Double>> run(ScaleScenario scenario, int workers, int repeats)
      throws IOException, InterruptedException {
    long heap = BASE_MEGABYTES + (long) workers * KILOBYTES_PER_WORKER / 1000;
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-Xms" + heap + "m", // Full size at once: a growing heap would cause many collections.
            "-Xmx" + heap + "m",
            "-Dlogback.configurationFile=io/millrace/bench/scale/logback.xml",
            "-cp",
            System.getProperty("java.class.path"),
            ClusterScaleRun.class.getName(),
            scenario.name(),
            String.valueOf(workers),
            String.valueOf(repeats));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    process.getOutputStream().close();
    List<Map<String, Double>> runs = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(ClusterScaleRun.RUN_MARKER)) {
          runs.add(new LinkedHashMap<>());
        } else {
          String[] figure = line.split(" ");
          runs.get(runs.size() - 1).put(figure[0], Double.valueOf(figure[1]));
        }
      }
    }
    if (process.waitFor() != 0) {
      throw new IOException("Exit code " + process.exitValue() + " of " + command);
    }
    return runs;
  }
}
