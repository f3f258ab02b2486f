package io.millrace.test;

import io.millrace.api.DataStream;
import io.millrace.api.function.Collector;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.window.TimestampedValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The records of a stream, in the order in which they arrive in one subtask. */
final class CapturedOutput implements AutoCloseable {
  private static final Map<Long, CapturedOutput> OPEN = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private List<TimestampedValue<Object>> records = new ArrayList<>();

  CapturedOutput() {
    OPEN.put(number, this);
  }

  /** Ends a program with this output. */
  void capture(DataStream<?> stream, String name) {
    stream
        .process(Object.class, new Capture(number))
        .name(name)
        .parallelism(1)
        .sinkTo(new DiscardSink<>())
        .parallelism(1);
  }

  private record Capture(long number) implements ProcessFunction<Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Object record, Context context, Collector<Object> out) {
      OPEN.get(number).add(new TimestampedValue<>(record, context.timestamp()));
    }
  }

  private synchronized void add(TimestampedValue<Object> record) {
    records.add(record);
  }

  synchronized List<TimestampedValue<Object>> records() {
    return List.copyOf(records);
  }

  synchronized List<TimestampedValue<Object>> take() {
    List<TimestampedValue<Object>> taken = records;
    records = new ArrayList<>();
    return taken;
  }

  @Override
  public void close() {
    OPEN.remove(number);
  }
}
