package io.millrace.bench.works;

import java.io.IOException;
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

/**
 * Runs works on Millrace and its peers in turn: {@code Bench [--repeats N] [--peers flink,jet]
 * WORK…}.
 *
 * <p>Each run is a fresh set of processes. Medians are compared, and what else used the machine
 * meanwhile is noted, because these machines are shared.
 */
public final class Bench {
  private static final int REPEATS = 5;
  private static final int WARM_UP_SECONDS = 12;
  private static final int MEASURE_SECONDS = 15;

  private Bench() {}

  public static void main(String[] arguments) throws Exception {
    int repeats = REPEATS;
    int warmUp = WARM_UP_SECONDS;
    int measure = MEASURE_SECONDS;
    List<String> peers = List.of("flink", "jet");
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--repeats" -> repeats = Integer.parseInt(arguments[++i]);
        case "--warmup" -> warmUp = Integer.parseInt(arguments[++i]);
        case "--measure" -> measure = Integer.parseInt(arguments[++i]);
        case "--peers" -> peers = List.of(arguments[++i].split(","));
        default -> works.add(Work.named(arguments[i]));
      }
    }
    if (works.isEmpty()) {
      System.err.println(
          "Usage: tools/bench [--repeats N] [--peers flink,jet|none] [--warmup S] [--measure S]"
              + " WORK…");
      System.err.println("Works:");
      Arrays.stream(Work.values())
          .forEach(work -> System.err.println("  " + work.shortName() + "  " + work.what()));
      System.exit(2);
    }
    Engines engines =
        new Engines(Path.of(System.getProperty("bench.root")).toAbsolutePath(), warmUp, measure);
    for (Work work : works) {
      run(work, repeats, peers, engines);
    }
  }

  private static void run(Work work, int repeats, List<String> peers, Engines engines)
      throws IOException, InterruptedException {
    List<String> contestants = new ArrayList<>(List.of("millrace"));
    contestants.addAll(peers.stream().filter(work::runsOn).toList());
    Map<String, List<Map<String, Double>>> figures = new LinkedHashMap<>();
    for (int i = 0; i < repeats; i++) {
      for (String contestant : contestants) {
        Map<String, Double> run = work.run(contestant, engines);
        figures.computeIfAbsent(contestant, x -> new ArrayList<>()).add(run);
        System.out.println(
            work.shortName() + " " + (i + 1) + "/" + repeats + " " + contestant + " " + run);
      }
    }
    Report report = new Report(work, figures);
    System.out.println(report.table());
    Path results = Files.createDirectories(engines.root().resolve("bench/results"));
    String name = work.shortName().toLowerCase(Locale.ROOT) + "-" + LocalDate.now(ZoneOffset.UTC);
    Path file = results.resolve(name + ".json");
    Files.writeString(file, report.json());
    Path plot = results.resolve(name + ".svg");
    Files.writeString(plot, new Plot(report).svg());
    System.out.println("Raw figures: " + file + ", plot: " + plot);
  }
}
