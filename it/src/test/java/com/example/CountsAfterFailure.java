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
 * Counts generated records per key in keyed state: {@code DIRECTORY RECORDS KEYS SLOW FAIL}. While
 * the file SLOW exists each record takes some milliseconds. The task that finds the file FAIL
 * deletes it and fails. For each key whose count reaches its share or passes it, the file {@code
 * key-count} is created.
 */
public final class CountsAfterFailure {
  private CountsAfterFailure() {}

  public static void main(String[] args) {
    long records = Long.parseLong(args[1]);
    long keys = Long.parseLong(args[2]);
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(GeneratorSource.of(index -> index % keys).count(records))
        .uid("numbers")
        .keyBy(key -> key)
        .process(new Count(args[0], records / keys, args[3], args[4]))
        .uid("count")
        .sinkTo(new DiscardSink<>())
        .name("discard");
    env.execute("counts after a failure");
  }

  private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;
    private static final long MILLIS_PER_RECORD = 2;

    private final String directory;
    private final long share;
    private final String slow;
    private final String fail;
    private transient ValueState<Long> count;

    Count(String directory, long share, String slow, String fail) {
      this.directory = directory;
      this.share = share;
      this.slow = slow;
      this.fail = fail;
    }

    @Override
    public void open(RuntimeContext context) {
      count = context.state(new ValueStateDescriptor<>("count"));
    }

    @Override
    public void process(Long key, Context<Long> context, Collector<Long> out) throws Exception {
      if (Files.exists(Path.of(slow))) {
        Thread.sleep(MILLIS_PER_RECORD);
        if (Files.deleteIfExists(Path.of(fail))) {
          throw new IllegalStateException("fails because the test asks for it");
        }
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
