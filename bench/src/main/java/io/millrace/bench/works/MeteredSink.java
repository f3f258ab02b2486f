package io.millrace.bench.works;

import io.millrace.api.metric.Counter;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;

/** A sink that also counts its records in a metric. */
record MeteredSink<T>(CountSink<T> sink) implements Sink<T> {
  @Override
  public SinkWriter<T> createWriter(SinkContext context) {
    Counter written = context.metrics().counter("written");
    SinkWriter<T> writer = sink.createWriter(context);
    return new SinkWriter<>() {
      @Override
      public void write(T record) throws Exception {
        written.inc();
        writer.write(record);
      }

      @Override
      public void flush(boolean endOfInput) throws Exception {
        writer.flush(endOfInput);
      }
    };
  }
}
