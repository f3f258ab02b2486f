package io.millrace.metrics;

import io.millrace.core.config.Option;
import io.millrace.core.config.OptionProvider;
import java.util.List;

/** Declares the options of the endpoint for Prometheus. */
public final class PrometheusOptionProvider implements OptionProvider {
  @Override
  public List<Option<?>> options() {
    return List.of(PrometheusOptions.PORT, PrometheusOptions.HOST);
  }
}
