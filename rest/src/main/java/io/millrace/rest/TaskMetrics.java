package io.millrace.rest;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskSplits;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** The metrics of tasks, with the names of Flink. */
final class TaskMetrics {
  static final String INPUT_WATERMARK = "currentInputWatermark";

  private static final Map<String, ToDoubleFunction<SubtaskDetails>> ALL = new LinkedHashMap<>();

  /** Whole numbers that a double cannot represent exactly. */
  private static final Map<String, ToLongFunction<SubtaskDetails>> EXACT = new LinkedHashMap<>();

  static {
    count("numRecordsIn", TaskCounters::recordsIn);
    count("numRecordsOut", TaskCounters::recordsOut);
    count("numBytesIn", TaskCounters::bytesIn);
    count("numBytesOut", TaskCounters::bytesOut);
    rate("numRecordsInPerSecond", TaskCounters::recordsIn);
    rate("numRecordsOutPerSecond", TaskCounters::recordsOut);
    rate("numBytesInPerSecond", TaskCounters::bytesIn);
    rate("numBytesOutPerSecond", TaskCounters::bytesOut);
    rate("busyTimeMsPerSecond", TaskCounters::busyMillis);
    rate("idleTimeMsPerSecond", TaskCounters::idleMillis);
    rate("backPressuredTimeMsPerSecond", TaskCounters::backPressuredMillis);
    count("accumulateBusyTimeMs", TaskCounters::busyMillis);
    count("accumulateIdleTimeMs", TaskCounters::idleMillis);
    count("accumulateBackPressuredTimeMs", TaskCounters::backPressuredMillis);
    eventTime(INPUT_WATERMARK, TaskEventTime::inputWatermark, TaskEventTime.NO_WATERMARK);
    eventTime("currentOutputWatermark", TaskEventTime::outputWatermark, TaskEventTime.NO_WATERMARK);
    eventTime("numLateRecordsDropped", TaskEventTime::lateRecordsDropped, 0);
    eventTime("numIdleInputs", TaskEventTime::idleInputs, 0);
    splits("numSplitsAssigned", TaskSplits::assigned);
    splits("numSplitsPending", TaskSplits::pending);
  }

  private TaskMetrics() {}

  private static void count(String name, ToLongFunction<TaskCounters> metric) {
    ALL.put(name, subtask -> subtask.counters().map(metric::applyAsLong).orElse(0L));
  }

  private static void eventTime(String name, ToLongFunction<TaskEventTime> metric, long without) {
    ToLongFunction<SubtaskDetails> exact =
        subtask ->
            subtask
                .counters()
                .flatMap(TaskCounters::eventTime)
                .map(metric::applyAsLong)
                .orElse(without);
    EXACT.put(name, exact);
    ALL.put(name, exact::applyAsLong);
  }

  private static void splits(String name, ToLongFunction<TaskSplits> metric) {
    ALL.put(
        name,
        subtask ->
            subtask.counters().flatMap(TaskCounters::splits).map(metric::applyAsLong).orElse(0L));
  }

  private static void rate(String name, ToLongFunction<TaskCounters> metric) {
    ALL.put(name, subtask -> TaskRates.of(subtask).perSecond(metric));
  }

  /** The metrics of all subtasks. The index of the subtask precedes the name of the metric. */
  static JsonArray ofAll(List<SubtaskDetails> subtasks, MetricSelection selection) {
    JsonArray json = new JsonArray();
    for (int i = 0; i < subtasks.size(); i++) {
      add(json, i + ".", subtasks.get(i), selection);
    }
    return json;
  }

  /** The input watermarks of all subtasks. */
  static JsonArray watermarks(List<SubtaskDetails> subtasks) {
    return ofAll(
        subtasks,
        MetricSelection.valuesOf(
            IntStream.range(0, subtasks.size()).mapToObj(i -> i + "." + INPUT_WATERMARK).toList()));
  }

  static JsonArray of(SubtaskDetails subtask, MetricSelection selection) {
    JsonArray json = new JsonArray();
    add(json, "", subtask, selection);
    return json;
  }

  private static void add(
      JsonArray json, String prefix, SubtaskDetails subtask, MetricSelection selection) {
    ALL.forEach(
        (name, metric) -> {
          JsonObject entry = new JsonObject().put("id", prefix + name);
          if (selection.isNamesOnly()) {
            json.add(entry);
          } else if (selection.contains(prefix + name)) {
            json.add(entry.put("value", value(name, metric, subtask)));
          }
        });
  }

  private static String value(
      String name, ToDoubleFunction<SubtaskDetails> metric, SubtaskDetails subtask) {
    return EXACT.containsKey(name)
        ? String.valueOf(EXACT.get(name).applyAsLong(subtask))
        : text(metric.applyAsDouble(subtask));
  }

  /** Values are texts. Whole numbers have no fraction. */
  private static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.valueOf((long) value)
        : String.valueOf(value);
  }

  /**
   * Metrics aggregated over subtasks.
   *
   * @param aggregations some of min, max, avg, sum and skew
   */
  static JsonArray aggregated(
      List<SubtaskDetails> subtasks, MetricSelection selection, List<String> aggregations) {
    JsonArray json = new JsonArray();
    ALL.forEach(
        (name, metric) -> {
          JsonObject entry = new JsonObject().put("id", name);
          if (selection.isNamesOnly()) {
            json.add(entry);
          } else if (selection.contains(name)) {
            double[] values = subtasks.stream().mapToDouble(metric).toArray();
            aggregations.forEach(how -> entry.put(how, aggregate(how, values)));
            json.add(entry);
          }
        });
    return json;
  }

  private static double aggregate(String how, double[] values) {
    double mean = Arrays.stream(values).average().orElse(0);
    return switch (how) {
      case "min" -> Arrays.stream(values).min().orElse(0);
      case "max" -> Arrays.stream(values).max().orElse(0);
      case "avg" -> mean;
      case "sum" -> Arrays.stream(values).sum();
      // The mean absolute deviation in per cent of the mean.
      case "skew" ->
          mean == 0
              ? 0
              : Math.min(
                  100,
                  100
                      * Arrays.stream(values).map(value -> Math.abs(value - mean)).sum()
                      / values.length
                      / mean);
      default ->
          throw new RestError(
              400, "Aggregation '" + how + "' is not known. Use min, max, avg, sum or skew.");
    };
  }
}
