package io.millrace.soak.program;

import io.millrace.api.DataStream;
import io.millrace.api.KeyedStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.WindowAssigner;
import java.time.Duration;

/**
 * {@code INPUT OUTPUT RECORDS KEYS RATE}: counts, windows and timers per key over generated records
 * and the lines of a file. The file is read at a tenth of the rate of the generator. Every result
 * is one line in a directory of OUTPUT; the class that verifies them computes each of them anew.
 */
public final class SoakProgram {
  /** Fixed, so that an instance reads one sequence and event time does not go back in it. */
  private static final int SOURCES = 2;

  private SoakProgram() {}

  public static void main(String[] args) {
    String input = args[0];
    String output = args[1];
    long records = Long.parseLong(args[2]);
    int keys = Integer.parseInt(args[3]);
    double rate = Double.parseDouble(args[4]);
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<NumberedRecord> generated =
        env.generate(
                GeneratorSource.of(number -> NumberedRecord.generated(number, keys))
                    .count(records)
                    .perSecond(rate))
            .name("generator")
            .uid("generator")
            .parallelism(SOURCES)
            .assignTimestampsAndWatermarks(
                WatermarkStrategy.forMonotonousTimestamps(NumberedRecord::time))
            .parallelism(SOURCES);
    DataStream<NumberedRecord> lines =
        env.fromSource(
                new PacedTextSource<>(TextFileSource.of(input), rate / 10 / SOURCES), "lines")
            .uid("lines")
            .parallelism(SOURCES)
            .map(line -> NumberedRecord.ofLine(line, keys))
            .parallelism(SOURCES)
            .assignTimestampsAndWatermarks(
                WatermarkStrategy.forMonotonousTimestamps(NumberedRecord::time))
            .parallelism(SOURCES);
    KeyedStream<NumberedRecord, String> keyed = generated.union(lines).keyBy(NumberedRecord::key);

    write(keyed.map(new RunningCount()).name("count").uid("count"), output, "records");
    write(
        totals(keyed, TumblingEventTimeWindows.of(Duration.ofSeconds(1)), "tumbling"),
        output,
        "tumbling");
    write(
        totals(
            keyed,
            SlidingEventTimeWindows.of(Duration.ofSeconds(3), Duration.ofSeconds(1)),
            "sliding"),
        output,
        "sliding");
    write(
        totals(keyed, EventTimeSessionWindows.withGap(Duration.ofMillis(200)), "session"),
        output,
        "session");
    write(keyed.process(new Reminders()).name("timers").uid("timers"), output, "timers");
    env.execute("soak");
  }

  /** {@code KEY START END COUNT SUM} of each window. */
  private static DataStream<String> totals(
      KeyedStream<NumberedRecord, String> keyed, WindowAssigner windows, String name) {
    return keyed
        .window(windows)
        .aggregate(
            new WindowTotal.Aggregate(),
            (key, window, total) ->
                key
                    + " "
                    + window.start()
                    + " "
                    + window.end()
                    + " "
                    + total.count()
                    + " "
                    + total.sum())
        .name(name)
        .uid(name);
  }

  private static void write(DataStream<String> results, String output, String name) {
    results.sinkTo(TextFileSink.to(output + "/" + name)).name(name).uid(name + "-files");
  }
}
