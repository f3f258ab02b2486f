package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Slow;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.InputSubtask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskThread;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What tasks tell of event time and of cores that they hold alone. */
class EventTimeMetricsTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  /** Subtask 0 has these records and then none, the others none at all. */
  record FirstOnly(List<Long> numbers) implements NonReplayableSource<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Long> open(SourceContext context) {
      return new PollingReader<>() {
        private int next = context.subtask() == 0 ? 0 : numbers.size();

        @Override
        public Status poll(SourceOutput<Long> out, int limit) {
          while (next < numbers.size()) {
            out.emit(numbers.get(next++));
          }
          return Status.WAIT;
        }
      };
    }
  }

  private static void windows(
      StreamEnvironment env,
      Source<Long, ?> source,
      int parallelism,
      WatermarkStrategy<Long> strategy) {
    env.configure("pipeline.auto-watermark-interval", "10 ms");
    env.parallelism(parallelism);
    env.fromSource(source, strategy, "numbers")
        .keyBy(number -> number % 3)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
        .reduce(Long::sum)
        .parallelism(1)
        .sinkTo(new Fixtures.Discard())
        .parallelism(1);
  }

  private static WatermarkStrategy<Long> byValue() {
    return WatermarkStrategy.forMonotonousTimestamps(number -> number);
  }

  private Optional<TaskEventTime> eventTime(TestRun run, JobGraph graph, int vertex, int subtask) {
    JobVertex of = graph.vertices().get(vertex);
    return host.counters(graph.id()).stream()
        .filter(counters -> counters.execution().equals(run.executionsOf(of).get(subtask)))
        .findFirst()
        .flatMap(TaskCounters::eventTime);
  }

  @Test
  void theInputIsNamedThatHoldsTheWatermarkBack() {
    JobGraph graph =
        ProgramGraphs.graph(env -> windows(env, new FirstOnly(List.of(5L, 100L)), 2, byValue()));
    TestRun run = TestRun.start(graph, host);
    run.await(
        "the watermark of the first subtask",
        () ->
            eventTime(run, graph, 1, 0).map(TaskEventTime::highestInputWatermark).orElse(0L) == 99);
    assertThat(eventTime(run, graph, 1, 0))
        .contains(
            new TaskEventTime(
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                99,
                0,
                2,
                0,
                Optional.of(new InputSubtask(graph.vertices().get(0).id(), 1))));
    assertThat(eventTime(run, graph, 0, 0).orElseThrow().outputWatermark()).isEqualTo(99);
    assertThat(eventTime(run, graph, 0, 1).orElseThrow().outputWatermark())
        .isEqualTo(TaskEventTime.NO_WATERMARK);
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void idleInputsAreCountedAndHoldNothingBack() {
    JobGraph graph =
        ProgramGraphs.graph(
            env ->
                windows(
                    env,
                    new FirstOnly(List.of(5L, 100L)),
                    2,
                    byValue().withIdleness(Duration.ofMillis(50))));
    TestRun run = TestRun.start(graph, host);
    run.await(
        "both are idle",
        () -> eventTime(run, graph, 1, 0).map(TaskEventTime::idleInputs).orElse(0) == 2);
    assertThat(eventTime(run, graph, 1, 0))
        .contains(new TaskEventTime(99, 99, 99, 0, 2, 2, Optional.empty()));
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void recordsThatComeTooLateForTheirWindowsAreCounted() {
    List<Long> disordered = List.of(5L, 100L, 7L, 8L, 101L, 200L, 9L);
    WatermarkStrategy<Long> afterEach =
        WatermarkStrategy.<Long>forGenerator(
                () -> (record, timestamp, output) -> output.emitWatermark(timestamp - 1))
            .withTimestampAssigner((number, before) -> number);
    JobGraph graph =
        ProgramGraphs.graph(env -> windows(env, CollectionSource.of(disordered), 1, afterEach));
    TestRun run = TestRun.start(graph, host).awaitEnd();
    assertThat(eventTime(run, graph, 1, 0).orElseThrow().lateRecordsDropped()).isEqualTo(3);
  }

  @Test
  void aJobWithoutEventTimeTellsNothingOfIt() {
    JobGraph graph =
        ProgramGraphs.graph(
            env ->
                env.generate(index -> index, 10)
                    .keyBy(number -> number)
                    .reduce(Long::sum)
                    .sinkTo(new Fixtures.Discard()));
    TestRun.start(graph, host).awaitEnd();
    assertThat(host.counters(graph.id()))
        .isNotEmpty()
        .allSatisfy(counters -> assertThat(counters.eventTime()).isEmpty());
  }

  @Test
  void aTaskThatHoldsItsCoreAloneIsNamedWithTheUsersLine() {
    CountDownLatch gate = new CountDownLatch(1);
    String name = Fixtures.share(gate);
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "slow",
        1,
        Fixtures.numbers(1),
        new OperatorSpec.Map(
            record -> {
              Slow.await(Fixtures.shared(name, CountDownLatch.class));
              return record;
            }),
        Fixtures.discard());
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, host);
    run.await("it is named", () -> host.counters(graph.id()).get(0).thread().isPresent());
    TaskThread thread = host.counters(graph.id()).get(0).thread().orElseThrow();
    assertThat(thread.kind()).isEqualTo(TaskThread.Kind.CORE);
    assertThat(thread.reason())
        .matches("held its core for \\d+ ms in com\\.example\\.Slow\\.await\\(Slow\\.java:\\d+\\)");
    gate.countDown();
    run.awaitEnd();
    assertThat(host.counters(graph.id()).get(0).thread()).isEmpty();
  }
}
