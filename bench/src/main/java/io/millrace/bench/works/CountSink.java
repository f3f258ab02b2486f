package io.millrace.bench.works;

import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.bench.load.Probe;
import io.millrace.bench.load.RecordMeter;

/** Counts and discards records. */
record CountSink<T>(Probe probe) implements Sink<T> {
  @Override
  public SinkWriter<T> createWriter(SinkContext context) {
    return new SinkWriter<>() {
      private long count;

      @Override
      public void write(T record) {
        if ((++count & (RecordMeter.EVERY - 1)) == 0) {
          RecordMeter.out(context.subtask(), count);
        }
      }

      @Override
      public void flush(boolean endOfInput) {
        if (endOfInput) {
          RecordMeter.out(context.subtask(), count);
          probe.received(context.subtask(), count);
        }
      }
    };
  }
}
