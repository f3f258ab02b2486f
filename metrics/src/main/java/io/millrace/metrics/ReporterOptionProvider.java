package io.millrace.metrics;

import io.millrace.core.config.Option;
import io.millrace.core.config.OptionProvider;
import java.util.List;

/** Declares the options of the reporters. */
public final class ReporterOptionProvider implements OptionProvider {
  @Override
  public List<Option<?>> options() {
    return List.of(
        PrometheusOptions.PORT,
        PrometheusOptions.HOST,
        OtlpOptions.ENDPOINT,
        OtlpOptions.INTERVAL,
        OtlpOptions.TIMEOUT,
        OtlpOptions.SERVICE_NAME);
  }
}
