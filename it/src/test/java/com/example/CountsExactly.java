package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counts generated records per key in keyed state: {@code DIRECTORY RECORDS KEYS RATE}. For each
 * key whose count reaches its share or passes it, the file {@code key-count} is created. A record
 * that is lost leaves a key without a file; a record that is counted twice leaves a second file.
 */
public final class CountsExactly {
  private CountsExactly() {}

  public static void main(String[] args) {
    String directory = args[0];
    long records = Long.parseLong(args[1]);
    long keys = Long.parseLong(args[2]);
    double rate = Double.parseDouble(args[3]);
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(GeneratorSource.of(index -> index % keys).count(records).perSecond(rate))
        .uid("numbers")
        .keyBy(key -> key)
        .process(new Count(directory, records / keys))
        .uid("count")
        .sinkTo(new DiscardSink<>())
        .name("discard");
    env.execute("counts exactly");
  }

  private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    private final String directory;
    private final long share;
    private transient ValueState<Long> count;

    Count(String directory, long share) {
      this.directory = directory;
      this.share = share;
    }

    @Override
    public void open(RuntimeContext context) {
      count = context.state(new ValueStateDescriptor<>("count"));
    }

    @Override
    public void process(Long key, Context<Long> context, Collector<Long> out) throws IOException {
      long now = count.value() == null ? 1 : count.value() + 1;
      count.update(now);
      if (now >= share) {
        Files.writeString(Path.of(directory, key + "-" + now), "");
      }
      out.emit(key);
    }
  }
}
