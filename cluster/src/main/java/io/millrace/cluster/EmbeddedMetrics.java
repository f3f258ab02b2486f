package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.metric.MetricReporters;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.List;

/** The reporters of an embedded cluster, whose JobManager and TaskManager share a process. */
final class EmbeddedMetrics implements AutoCloseable {
  private final JobManagerMetrics jobManager;
  private final MetricReporters reporters;

  private EmbeddedMetrics(JobManagerMetrics jobManager, MetricReporters reporters) {
    this.jobManager = jobManager;
    this.reporters = reporters;
  }

  /** Takes over the metrics of the JobManager. */
  static EmbeddedMetrics start(
      Configuration configuration,
      Plugins plugins,
      JobManagerMetrics jobManager,
      MetricSource taskManager) {
    MetricSource both =
        () ->
            jobManager
                .read()
                .thenCombine(
                    taskManager.read(),
                    (one, other) -> {
                      List<MetricSample> all = new ArrayList<>(one);
                      all.addAll(other);
                      return all;
                    });
    try {
      return new EmbeddedMetrics(jobManager, MetricReporters.start(configuration, plugins, both));
    } catch (RuntimeException e) {
      jobManager.close();
      throw e;
    }
  }

  @Override
  public void close() {
    reporters.close();
    jobManager.close();
  }
}
