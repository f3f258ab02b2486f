package io.millrace.bench.scale;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The figures of all runs of one scenario, by the number of workers. */
final class ScaleFigures {
  private final Map<Integer, List<Map<String, Double>>> runs = new LinkedHashMap<>();

  void add(int workers, Map<String, Double> figures) {
    runs.computeIfAbsent(workers, x -> new ArrayList<>()).add(figures);
  }

  List<Integer> sizes() {
    return new ArrayList<>(runs.keySet());
  }

  List<Map<String, Double>> runs(int workers) {
    return runs.get(workers);
  }

  /** The figures of one size, in the order of measurement. */
  Set<String> names(int workers) {
    Set<String> names = new LinkedHashSet<>();
    runs.get(workers).forEach(run -> names.addAll(run.keySet()));
    return names;
  }

  /** Whether the scenario has the phase. */
  boolean has(String phase) {
    return names(sizes().get(0)).contains(phase + "." + Phases.CPU);
  }

  double median(int workers, String figure) {
    double[] values =
        runs.get(workers).stream()
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

  /** CPU time of the JobManager per slot in microseconds. */
  double perSlot(int workers, String phase) {
    return 1000 * median(workers, phase + "." + Phases.CPU) / (workers * ScaleCluster.SLOTS);
  }

  /** The ratio of the cost per slot on the largest and the smallest cluster. */
  double growth(String phase) {
    List<Integer> sizes = sizes();
    return perSlot(sizes.get(sizes.size() - 1), phase) / perSlot(sizes.get(0), phase);
  }
}
