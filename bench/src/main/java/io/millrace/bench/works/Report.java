package io.millrace.bench.works;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Medians for people and raw figures for later. */
record Report(Work work, Map<String, List<Map<String, Double>>> figures) {

  /** A line a figure: the medians, and ours as a part of each peer's. */
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
    return json.append(String.join(",\n", medians)).append("\n  }\n}\n").toString();
  }

  private Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    figures.values().forEach(runs -> runs.forEach(run -> names.addAll(run.keySet())));
    return names;
  }

  double median(String contestant, String figure) {
    double[] values =
        figures.get(contestant).stream()
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

  /** Large ones without a fraction, grouped by thousands. */
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
