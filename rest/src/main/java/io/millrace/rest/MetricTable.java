package io.millrace.rest;

import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The metrics of one task, process or job at one moment, by name. */
final class MetricTable {
  static final List<String> AGGREGATIONS = List.of("min", "max", "avg", "sum", "skew");

  /** Numbers and texts. */
  private final Map<String, Object> values = new LinkedHashMap<>();

  static MetricTable of(Map<String, ? extends Number> named) {
    MetricTable table = new MetricTable();
    named.forEach(table::put);
    return table;
  }

  void put(String name, Number value) {
    values.put(name, value);
  }

  void put(String name, String value) {
    values.put(name, value);
  }

  /** Adds a metric under the name that another one has, if that is there. */
  void alias(String name, String of) {
    Object value = values.get(of);
    if (value != null) {
      values.putIfAbsent(name, value);
    }
  }

  /** Adds a metric that a function or an operator has registered. */
  void put(MetricReading reading) {
    String name = reading.name().dotted();
    MetricValue value = reading.value();
    if (value instanceof MetricValue.Count count) {
      put(name, count.value());
    } else if (value instanceof MetricValue.Level level) {
      put(name, level.value());
    } else if (value instanceof MetricValue.Text text) {
      put(name, text.value());
    } else if (value instanceof MetricValue.Rate rate) {
      put(name, rate.perSecond());
    } else if (value instanceof MetricValue.Distribution all) {
      put(name + "_count", all.count());
      put(name + "_min", all.min());
      put(name + "_max", all.max());
      put(name + "_mean", all.mean());
      put(name + "_median", all.median());
      put(name + "_stddev", all.standardDeviation());
      put(name + "_p75", all.p75());
      put(name + "_p90", all.p90());
      put(name + "_p95", all.p95());
      put(name + "_p98", all.p98());
      put(name + "_p99", all.p99());
      put(name + "_p999", all.p999());
    } else {
      throw new IllegalArgumentException("Unknown value " + value);
    }
  }

  JsonArray json(MetricSelection selection) {
    JsonArray json = new JsonArray();
    addTo(json, "", selection);
    return json;
  }

  /**
   * @param prefix precedes each name
   */
  void addTo(JsonArray json, String prefix, MetricSelection selection) {
    values.forEach(
        (name, value) -> {
          JsonObject entry = new JsonObject().put("id", prefix + name);
          if (selection.isNamesOnly()) {
            json.add(entry);
          } else if (selection.contains(prefix + name)) {
            json.add(entry.put("value", text(value)));
          }
        });
  }

  /** Values are texts. Whole numbers have no fraction. */
  private static String text(Object value) {
    return value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15
        ? String.valueOf(number.longValue())
        : String.valueOf(value);
  }

  /**
   * Metrics aggregated over tables. Those that are not numbers have names only.
   *
   * @param aggregations some of min, max, avg, sum and skew
   */
  static JsonArray aggregated(
      List<MetricTable> tables, MetricSelection selection, List<String> aggregations) {
    aggregations.forEach(how -> aggregate(how, new double[0]));
    Set<String> names = new LinkedHashSet<>();
    tables.forEach(table -> names.addAll(table.values.keySet()));
    JsonArray json = new JsonArray();
    for (String name : names) {
      JsonObject entry = new JsonObject().put("id", name);
      if (selection.isNamesOnly()) {
        json.add(entry);
      } else if (selection.contains(name)) {
        double[] numbers =
            tables.stream()
                .map(table -> table.values.get(name))
                .filter(Objects::nonNull)
                .filter(Number.class::isInstance)
                .mapToDouble(value -> ((Number) value).doubleValue())
                .filter(Double::isFinite)
                .toArray();
        if (numbers.length > 0) {
          aggregations.forEach(how -> entry.put(how, aggregate(how, numbers)));
          json.add(entry);
        }
      }
    }
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
