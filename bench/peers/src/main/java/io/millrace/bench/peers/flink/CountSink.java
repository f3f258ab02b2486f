package io.millrace.bench.peers.flink;

import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.Probe;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Counts and discards. */
final class CountSink<T> implements Sink<T> {
  private final Probe probe;

  CountSink() {
    this(Probe.NONE);
  }

  CountSink(Probe probe) {
    this.probe = probe;
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) {
    int instance = context.getTaskInfo().getIndexOfThisSubtask();
    return new SinkWriter<>() {
      private long count;

      @Override
      public void write(T element, Context ignored) {
        if ((++count & (RecordMeter.EVERY - 1)) == 0) {
          RecordMeter.out(instance, count);
        }
      }

      @Override
      public void flush(boolean endOfInput) {
        RecordMeter.out(instance, count);
      }

      @Override
      public void close() {
        RecordMeter.out(instance, count);
        probe.received(instance, count);
      }
    };
  }
}
