package io.millrace.core.metric;

import io.millrace.core.config.Configuration;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The reporters that a configuration asks for. */
public final class MetricReporters implements AutoCloseable {
  private static final String OPTIONS = "metrics.reporter.";

  private final List<MetricReporter> running = new ArrayList<>();

  private MetricReporters() {}

  /** Whether the configuration may ask for reporters. Loads nothing. */
  public static boolean areConfigured(Configuration configuration) {
    return configuration.entries().keySet().stream().anyMatch(key -> key.startsWith(OPTIONS));
  }

  /** Starts them; those that are not configured load no library. */
  public static MetricReporters start(
      Configuration configuration, Plugins plugins, MetricSource source) {
    if (!areConfigured(configuration)) {
      return new MetricReporters();
    }
    List<MetricReporterProvider> found = new ArrayList<>();
    ServiceLoader.load(MetricReporterProvider.class, MetricReporters.class.getClassLoader())
        .forEach(found::add);
    plugins
        .services(MetricReporterProvider.class)
        .forEach(service -> found.add(service.instance()));
    found.sort(Comparator.comparing(provider -> provider.getClass().getName()));
    MetricReporters reporters = new MetricReporters();
    try {
      for (MetricReporterProvider provider : found) {
        if (provider.isConfigured(configuration)) {
          reporters.running.add(provider.start(configuration, source));
        }
      }
    } catch (RuntimeException e) {
      reporters.close();
      throw e;
    }
    return reporters;
  }

  @Override
  public void close() {
    running.forEach(MetricReporter::close);
    running.clear();
  }

  @Override
  public String toString() {
    return running.isEmpty() ? "Reporters of metrics: none" : "Reporters of metrics: " + running;
  }
}
