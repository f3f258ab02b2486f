package io.millrace.api.sink;

/**
 * Drops every record.
 *
 * <pre>{@code
 * // Measures the operators before the sink.
 * orders.keyBy(Order::customer).count().sinkTo(new DiscardSink<>());
 * }</pre>
 */
public final class DiscardSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;

  @Override
  public SinkWriter<T> createWriter(SinkContext context) {
    return record -> {};
  }
}
