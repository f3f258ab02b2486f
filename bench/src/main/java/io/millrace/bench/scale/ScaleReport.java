package io.millrace.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The figures as tables and as JSON. */
record ScaleReport(Map<ScaleScenario, ScaleFigures> measured) {

  /** One table per scenario, with one line per phase and size. */
  String tables() {
    StringBuilder text = new StringBuilder();
    measured.forEach((scenario, figures) -> text.append(table(scenario, figures)).append('\n'));
    return text.toString();
  }

  private static String table(ScaleScenario scenario, ScaleFigures figures) {
    StringBuilder text = new StringBuilder();
    text.append("### ").append(scenario.title()).append("\n\n");
    text.append(
        "| phase | workers | CPU of the JobManager, ms | µs a slot | growth | kB allocated a slot |"
            + " messages a slot | kB sent a slot | CPU of all others, ms |\n");
    text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (String phase : Phases.NAMES) {
      if (figures.has(phase)) {
        figures.sizes().forEach(workers -> text.append(line(figures, phase, workers)));
      }
    }
    for (int workers : figures.sizes()) {
      double heap = figures.median(workers, Phases.HEAP);
      if (!Double.isNaN(heap)) {
        text.append(
            String.format(
                Locale.ROOT,
                "%n%,d workers: %.0f MB of heap are the JobManager's, %.1f kB a slot.",
                workers,
                heap,
                heap * 1000 / (workers * ScaleCluster.SLOTS)));
      }
    }
    return text.append('\n').toString();
  }

  private static String line(ScaleFigures figures, String phase, int workers) {
    double slots = workers * ScaleCluster.SLOTS;
    boolean last = workers == figures.sizes().get(figures.sizes().size() - 1);
    boolean grows = last && figures.sizes().size() > 1;
    double messages =
        figures.median(workers, phase + ".sent") + figures.median(workers, phase + ".received");
    return String.format(
        Locale.ROOT,
        "| %s | %,d | %.0f | %.1f | %s | %.2f | %.2f | %.2f | %.0f |%n",
        phase,
        workers,
        figures.median(workers, phase + "." + Phases.CPU),
        figures.perSlot(workers, phase),
        grows ? String.format(Locale.ROOT, "%.2f", figures.growth(phase)) : "",
        figures.median(workers, phase + ".allocatedMb") * 1000 / slots,
        messages / slots,
        figures.median(workers, phase + ".sentMb") * 1000 / slots,
        figures.median(workers, phase + ".othersCpuMs"));
  }

  String json() {
    List<String> scenarios = new ArrayList<>();
    measured.forEach(
        (scenario, figures) -> {
          List<String> sizes = new ArrayList<>();
          for (int workers : figures.sizes()) {
            List<String> runs = new ArrayList<>();
            figures.runs(workers).forEach(run -> runs.add("        " + object(run)));
            sizes.add("      \"" + workers + "\": [\n" + String.join(",\n", runs) + "\n      ]");
          }
          scenarios.add(
              "    \""
                  + scenario.name().toLowerCase(Locale.ROOT)
                  + "\": {\n"
                  + String.join(",\n", sizes)
                  + "\n    }");
        });
    return "{\n  \"work\": \"scale\",\n  \"slotsPerWorker\": "
        + ScaleCluster.SLOTS
        + ",\n  \"processors\": "
        + Runtime.getRuntime().availableProcessors()
        + ",\n  \"java\": \""
        + System.getProperty("java.version")
        + "\",\n  \"runs\": {\n"
        + String.join(",\n", scenarios)
        + "\n  }\n}\n";
  }

  private static String object(Map<String, Double> values) {
    List<String> entries = new ArrayList<>();
    new TreeMap<>(values)
        .forEach(
            (name, value) ->
                entries.add("\"" + name + "\": " + String.format(Locale.ROOT, "%.3f", value)));
    return "{" + String.join(", ", entries) + "}";
  }
}
