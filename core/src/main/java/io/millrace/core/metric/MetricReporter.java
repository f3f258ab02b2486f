package io.millrace.core.metric;

/** Shows the metrics of a process to another system, until it is closed. */
public interface MetricReporter extends AutoCloseable {
  /** What it does, for the log. */
  @Override
  String toString();

  @Override
  void close();
}
