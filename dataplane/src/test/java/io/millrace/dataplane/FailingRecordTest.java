package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.KeyedStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.WindowedStream;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.source.Source;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a record that a function cannot handle. */
class FailingRecordTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  @SuppressWarnings("unchecked") // Records are objects here.
  private static OperatorSpec source(Source<?, ?> source) {
    return new OperatorSpec.Source((Source<Object, ?>) source);
  }

  @SuppressWarnings("unchecked") // Records are objects here.
  private static OperatorSpec enumerate(EnumeratedSource<?, ?, ?> source) {
    return new OperatorSpec.Enumerate((EnumeratedSource<Object, ?, ?>) source);
  }

  private static OperatorSpec parse() {
    return new OperatorSpec.Map(record -> Integer.parseInt(record.toString()));
  }

  private Failure failure(TestJobGraph program) {
    TestRun run = TestRun.start(program.build(), host);
    run.await("a failure", () -> !run.failures().isEmpty());
    run.cancel();
    run.awaitEnd();
    Failure failure = run.failures().get(0);
    assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
    return failure;
  }

  @Test
  @Behaviour("F5: a failing record is named with operator, subtask and its position at the source")
  void isFoundInItsFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("numbers.txt");
    Files.writeString(file, "1\n22\nthree\n4\n");
    TestJobGraph program = new TestJobGraph();
    TextFileSource lines = TextFileSource.of(file.toString());
    JobVertex enumerator = program.vertex("enumerator", 1, enumerate(lines));
    JobVertex readers = program.vertex("v", 1, source(lines), parse(), Fixtures.discard());
    program.edge(enumerator, readers, Partitioning.REBALANCE);

    assertThat(failure(program).message())
        .isEqualTo(
            "Operator 'v-Map' of task 'v' (1/1, attempt 0) failed on record three at byte 5 of "
                + file
                + ": NumberFormatException: For input string: \"three\"");
  }

  @Test
  void isFoundInItsCollection() {
    TestJobGraph program = new TestJobGraph();
    List<String> elements = List.of("0", "1", "2", "x", "4");
    program.vertex("v", 2, source(CollectionSource.of(elements)), parse(), Fixtures.discard());
    assertThat(failure(program).message())
        .contains("'v-Map' of task 'v' (2/2,", "on record x at element 3:");
  }

  @Test
  @Behaviour("F5: a failing record is named with operator, subtask and its position at the source")
  void isFoundByItsIndexAlsoWhenItsMakerFails() {
    for (boolean inSource : List.of(true, false)) {
      TestJobGraph program = new TestJobGraph();
      program.vertex(
          "v",
          2,
          source(
              GeneratorSource.<Object>of(index -> index == 7 && inSource ? 1 / (index - 7) : index)
                  .count(100)),
          new OperatorSpec.Map(record -> 1 / ((Long) record - 7)),
          Fixtures.discard());
      assertThat(failure(program).message())
          .contains(inSource ? "'v-Source'" : "'v-Map'", "(2/2,", "at index 7:", "/ by zero");
    }
  }

  @Test
  @Behaviour("F5: a failing record is named with operator, subtask and its position at the source")
  void behindAnExchangeItIsShownButNotItsPlace() {
    TestJobGraph program = new TestJobGraph();
    JobVertex numbers = program.vertex("n", 1, Fixtures.numbers(10));
    JobVertex end =
        program.vertex(
            "e", 1, new OperatorSpec.Map(record -> 1 / ((Long) record - 7)), Fixtures.discard());
    program.edge(numbers, end, Partitioning.FORWARD);
    assertThat(failure(program).message())
        .isEqualTo(
            "Operator 'e-Map' of task 'e' (1/1, attempt 0) failed on record 7: ArithmeticException:"
                + " / by zero");
  }

  @Test
  void atTheEndOfInputNoPlaceIsToBlame() {
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "v",
        1,
        source(CollectionSource.of(List.of("1", "2"))),
        new OperatorSpec.Sink(context -> new FullDisk()));
    assertThat(failure(program).message())
        .isEqualTo("Operator 'v-Sink' of task 'v' (1/1, attempt 0) failed: IOException: disk full");
  }

  /** Fails in a timer of one key. */
  private static final class FailsInTimer extends KeyedProcessFunction<String, Long, Long> {
    private static final long serialVersionUID = 1L;
    private final boolean inEventTime;

    FailsInTimer(boolean inEventTime) {
      this.inEventTime = inEventTime;
    }

    @Override
    public void process(Long record, Context<String> context, Collector<Long> out) {
      if (inEventTime) {
        context.timerService().registerEventTimeTimer(record * 1000);
      } else {
        context.timerService().registerProcessingTimeTimer(1_000_000);
      }
    }

    @Override
    public void onTimer(long time, OnTimerContext<String> context, Collector<Long> out) {
      if (context.currentKey().equals("key 7")) {
        throw new IllegalStateException("no such time");
      }
    }
  }

  private Failure failure(Consumer<StreamEnvironment> program) {
    TestRun run = TestRun.start(ProgramGraphs.graph(program), host).awaitEnd();
    assertThat(run.failures()).hasSize(1);
    return run.failures().get(0);
  }

  private static KeyedStream<Long, String> keyed(StreamEnvironment env) {
    return env.generate(index -> index, 10)
        .parallelism(1)
        .assignTimestampsAndWatermarks(
            WatermarkStrategy.forMonotonousTimestamps(number -> 1_700_000_000_000L + number))
        .parallelism(1)
        .keyBy(number -> "key " + number);
  }

  @Test
  void aTimerIsNamedWithItsKeyAndTime() {
    for (boolean inEventTime : List.of(true, false)) {
      Failure failure =
          failure(
              env ->
                  keyed(env)
                      .process(new FailsInTimer(inEventTime))
                      .name("timers")
                      .parallelism(1)
                      .sinkTo(new Fixtures.Discard()));
      assertThat(failure.message())
          .isEqualTo(
              "Operator 'timers' of task 'timers -> Sink: Discard' (1/1, attempt 0) failed in the "
                  + (inEventTime
                      ? "event-time timer of key key 7 for 7000 (1970-01-01T00:00:07Z)"
                      : "processing-time timer of key key 7 for 1000000 (1970-01-01T00:16:40Z)")
                  + ": IllegalStateException: no such time");
    }
  }

  /** Has no result for one sum. */
  private record NoSeven() implements AggregateFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long create() {
      return 0L;
    }

    @Override
    public Long add(Long sum, Long number) {
      return sum + number;
    }

    @Override
    public Long merge(Long one, Long other) {
      return one + other;
    }

    @Override
    public Long result(Long sum) {
      if (sum == 7) {
        throw new IllegalStateException("seven");
      }
      return sum;
    }
  }

  @Test
  void aWindowIsNamedWithItsKeyAndBounds() {
    Map<WindowAssigner, String> assigners =
        Map.of(
            TumblingEventTimeWindows.of(Duration.ofSeconds(10)),
            "1700000000000 (2023-11-14T22:13:20Z) to 1700000010000 (2023-11-14T22:13:30Z)",
            SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(5)),
            "1699999995000 (2023-11-14T22:13:15Z) to 1700000005000 (2023-11-14T22:13:25Z)",
            EventTimeSessionWindows.withGap(Duration.ofSeconds(10)),
            "1700000000007 (2023-11-14T22:13:20.007Z) to 1700000010007 (2023-11-14T22:13:30.007Z)");
    assigners.forEach(
        (assigner, bounds) -> {
          for (boolean withFunction : List.of(true, false)) {
            Failure failure =
                failure(
                    env -> {
                      WindowedStream<Long, String> windows = keyed(env).window(assigner);
                      DataStream<Long> results =
                          withFunction
                              ? windows.process(
                                  (key, context, content, out) -> {
                                    if (key.equals("key 7")) {
                                      throw new IllegalStateException("seven");
                                    }
                                  })
                              : windows.aggregate(new NoSeven());
                      results.name("windows").parallelism(1).sinkTo(new Fixtures.Discard());
                    });
            assertThat(failure.message())
                .isEqualTo(
                    "Operator 'windows' of task 'windows -> Sink: Discard' (1/1, attempt 0) failed in"
                        + " the window of key key 7 from "
                        + bounds
                        + ": IllegalStateException: seven");
          }
        });
  }

  /** Has no room for what it wrote. */
  private static final class FullDisk implements SinkWriter<Object> {
    @Override
    public void write(Object record) {}

    @Override
    public void flush(boolean endOfInput) throws IOException {
      throw new IOException("disk full");
    }
  }
}
