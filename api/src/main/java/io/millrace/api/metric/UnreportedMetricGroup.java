package io.millrace.api.metric;

/** Metrics that nobody sees. */
enum UnreportedMetricGroup implements MetricGroup {
  INSTANCE;

  @Override
  public MetricGroup group(String name) {
    return this;
  }

  @Override
  public MetricGroup group(String name, String value) {
    return this;
  }

  @Override
  public Counter counter(String name, Counter counter) {
    return counter;
  }

  @Override
  public Meter meter(String name, Meter meter) {
    return meter;
  }

  @Override
  public Histogram histogram(String name, Histogram histogram) {
    return histogram;
  }

  @Override
  public <T> Gauge<T> gauge(String name, Gauge<T> gauge) {
    return gauge;
  }
}
