package io.millrace.core.metric;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads all metrics of a process. Reporters call it from threads of their own. */
@FunctionalInterface
public interface MetricSource {
  CompletableFuture<List<MetricSample>> read();
}
