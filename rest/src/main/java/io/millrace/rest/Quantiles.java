package io.millrace.rest;

import io.vertx.core.json.JsonObject;
import java.util.Arrays;

/** The distribution of a number over the subtasks of a vertex. */
final class Quantiles {
  private Quantiles() {}

  static JsonObject of(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    long sum = Arrays.stream(sorted).sum();
    return new JsonObject()
        .put("min", at(sorted, 0))
        .put("max", at(sorted, 1))
        .put("avg", sorted.length == 0 ? 0 : sum / sorted.length)
        .put("sum", sum)
        .put("median", at(sorted, 0.5))
        .put("p25", at(sorted, 0.25))
        .put("p75", at(sorted, 0.75))
        .put("p95", at(sorted, 0.95));
  }

  /** Interpolates between neighbours; the position of quantile q among n values is q (n + 1). */
  private static long at(long[] sorted, double quantile) {
    if (sorted.length == 0) {
      return 0;
    }
    double position = Math.min(Math.max(quantile * (sorted.length + 1), 1), sorted.length);
    int below = (int) position;
    long low = sorted[below - 1];
    long high = sorted[Math.min(below, sorted.length - 1)];
    return low + (long) ((high - low) * (position - below));
  }
}
