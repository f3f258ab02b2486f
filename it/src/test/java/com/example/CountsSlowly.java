package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counts generated records per key in keyed state: {@code DIRECTORY RECORDS KEYS SLOW}. While the
 * file SLOW exists each record takes some milliseconds, so that the queues before the count are
 * full. For each key whose count reaches its share or passes it, the file {@code key-count} is
 * created.
 */
public final class CountsSlowly {
  private CountsSlowly() {}

  public static void main(String[] args) {
    String directory = args[0];
    long records = Long.parseLong(args[1]);
    long keys = Long.parseLong(args[2]);
    String slow = args[3];
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(GeneratorSource.of(index -> index % keys).count(records))
        .uid("numbers")
        .rebalance()
        .map(key -> key)
        .uid("map")
        .keyBy(key -> key)
        .process(new Count(directory, records / keys, slow))
        .uid("count")
        .sinkTo(new DiscardSink<>())
        .name("discard");
    env.execute("counts slowly");
  }

  private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;
    private static final long MILLIS_PER_RECORD = 5;

    private final String directory;
    private final long share;
    private final String slow;
    private transient ValueState<Long> count;

    Count(String directory, long share, String slow) {
      this.directory = directory;
      this.share = share;
      this.slow = slow;
    }

    @Override
    public void open(RuntimeContext context) {
      count = context.state(new ValueStateDescriptor<>("count"));
    }

    @Override
    public void process(Long key, Context<Long> context, Collector<Long> out) throws Exception {
      if (Files.exists(Path.of(slow))) {
        Thread.sleep(MILLIS_PER_RECORD);
      }
      long now = count.value() == null ? 1 : count.value() + 1;
      count.update(now);
      if (now >= share) {
        Files.writeString(Path.of(directory, key + "-" + now), "");
      }
      out.emit(key);
    }
  }
}
