package io.millrace.bench.works;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** Medians as tables and raw figures as JSON. */
record BenchReport(Work work, Map<String, List<Map<String, Double>>> figures) {
  /** In the order of the table's columns. */
  private static final List<String> CONTESTANTS = List.of("millrace", "flink", "jet");

  static final String TABLE_HEAD =
      "| work | Millrace | Flink 2.3 | Jet 5.7 | to the better peer | runs, cores that others used |\n"
          + "|---|--:|--:|--:|--:|---|";

  /** One line per figure: the medians, and the ratio of Millrace to each peer. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(work.shortName()).append(": ").append(work.what()).append('\n');
    for (String figure : names()) {
      text.append(String.format(Locale.ROOT, "  %-28s", figure));
      for (String contestant : figures.keySet()) {
        double median = median(contestant, figure);
        if (!Double.isNaN(median)) {
          text.append(String.format(Locale.ROOT, "  %s %s", contestant, number(median)));
          double ours = median("millrace", figure);
          if (!contestant.equals("millrace") && !Double.isNaN(ours)) {
            text.append(String.format(Locale.ROOT, " (ours is %.2f of it)", ours / median));
          }
        }
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** The rows of the table in docs/performance.md. */
  List<String> rows() {
    List<String> rows = new ArrayList<>();
    for (String figure : work.compared()) {
      StringBuilder row = new StringBuilder("| ").append(work.shortName());
      row.append(' ').append(work.what());
      if (!figure.equals("perCoreSecond")) {
        row.append(": ").append(figure);
      }
      for (String contestant : CONTESTANTS) {
        double median = median(contestant, figure);
        row.append(" | ").append(Double.isNaN(median) ? "–" : withUnit(figure, median));
      }
      row.append(" | ").append(toBetterPeer(figure)).append(" | ").append(runs()).append(" |");
      rows.add(row.toString());
    }
    return rows;
  }

  /** The ratio of Millrace to the better peer. */
  private String toBetterPeer(String figure) {
    DoubleStream peers =
        CONTESTANTS.stream()
            .skip(1)
            .mapToDouble(peer -> median(peer, figure))
            .filter(median -> !Double.isNaN(median));
    boolean isRate = figure.equals("perCoreSecond") || figure.endsWith("PerS");
    OptionalDouble better = isRate ? peers.max() : peers.min();
    double ours = median("millrace", figure);
    return better.isEmpty() || Double.isNaN(ours)
        ? "–"
        : String.format(Locale.ROOT, "%.2f", ours / better.getAsDouble());
  }

  /** The number of runs and the cores used by other processes. */
  private String runs() {
    int runs = figures.values().stream().mapToInt(List::size).min().orElse(0);
    double[] others =
        figures.keySet().stream()
            .mapToDouble(contestant -> median(contestant, "otherCores"))
            .filter(median -> !Double.isNaN(median))
            .toArray();
    return others.length == 0
        ? String.valueOf(runs)
        : String.format(Locale.ROOT, "%d, %.1f", runs, DoubleStream.of(others).average().orElse(0));
  }

  private static String withUnit(String figure, double value) {
    if (figure.equals("perCoreSecond")) {
      return String.format(Locale.ROOT, value >= 1e7 ? "%.0f M" : "%.2f M", value / 1e6);
    } else if (figure.endsWith("PerS")) {
      return String.format(Locale.ROOT, "%,.0f /s", value);
    } else if (figure.endsWith("Ms")) {
      return String.format(Locale.ROOT, "%.2f ms", value);
    } else if (figure.endsWith("Mb")) {
      return String.format(Locale.ROOT, "%,.0f MB", value);
    } else if (figure.endsWith("Bytes")) {
      return String.format(Locale.ROOT, "%.0f B", value);
    } else if (figure.startsWith("percent")) {
      return String.format(Locale.ROOT, "%.1f %%", value);
    } else if (figure.startsWith("mostTo")) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    return String.format(Locale.ROOT, "%.2f s", value);
  }

  String json() {
    StringBuilder json = new StringBuilder("{\n");
    json.append("  \"work\": \"").append(work.shortName()).append("\",\n");
    json.append("  \"what\": \"").append(work.what()).append("\",\n");
    json.append("  \"processors\": ")
        .append(Runtime.getRuntime().availableProcessors())
        .append(",\n  \"java\": \"")
        .append(System.getProperty("java.version"))
        .append("\",\n  \"runs\": {\n");
    List<String> engines = new ArrayList<>();
    figures.forEach(
        (contestant, runs) -> {
          List<String> lines = new ArrayList<>();
          runs.forEach(run -> lines.add("      " + object(run)));
          engines.add("    \"" + contestant + "\": [\n" + String.join(",\n", lines) + "\n    ]");
        });
    json.append(String.join(",\n", engines)).append("\n  },\n  \"medians\": {\n");
    List<String> medians = new ArrayList<>();
    figures.forEach(
        (contestant, runs) -> {
          Map<String, Double> all = new TreeMap<>();
          names().forEach(name -> all.put(name, median(contestant, name)));
          all.values().removeIf(value -> Double.isNaN(value));
          medians.add("    \"" + contestant + "\": " + object(all));
        });
    json.append(String.join(",\n", medians)).append("\n  },\n  \"rows\": [\n");
    List<String> rows = rows().stream().map(row -> "    \"" + row + "\"").toList();
    return json.append(String.join(",\n", rows)).append("\n  ]\n}\n").toString();
  }

  private Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    figures.values().forEach(runs -> runs.forEach(run -> names.addAll(run.keySet())));
    return names;
  }

  double median(String contestant, String figure) {
    double[] values =
        figures.getOrDefault(contestant, List.of()).stream()
            .filter(run -> run.containsKey(figure))
            .mapToDouble(run -> run.get(figure))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return Double.NaN;
    }
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  /** Large numbers without a fraction, grouped by thousands. */
  static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 1000 ? "%,.0f" : "%.3f", value);
  }

  private static String object(Map<String, Double> values) {
    List<String> entries = new ArrayList<>();
    values.forEach(
        (name, value) ->
            entries.add("\"" + name + "\": " + String.format(Locale.ROOT, "%.3f", value)));
    return "{" + String.join(", ", entries) + "}";
  }
}
