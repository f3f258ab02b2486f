package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.ProcessingTimeSessionWindows;
import io.millrace.api.window.SlidingProcessingTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTimeTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final OutputTag<Long> ODD = new OutputTag<>("odd");

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  private TestRun run(Consumer<StreamEnvironment> program) {
    return TestRun.start(ProgramGraphs.graph(program), host);
  }

  static final class Count implements AggregateFunction<Object, long[], Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] count, Object record) {
      count[0]++;
      return count;
    }

    @Override
    public Long result(long[] count) {
      return count[0];
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      left[0] += right[0];
      return left;
    }
  }

  /** A thousand a second for ever, in event time, and as fast as it goes. */
  private static DataStream<Long> endless(StreamEnvironment env) {
    return env.fromSource(
        GeneratorSource.of(index -> index),
        WatermarkStrategy.forMonotonousTimestamps(time -> time),
        "endless");
  }

  private static DataStream<Long> silent(StreamEnvironment env, WatermarkStrategy<Long> strategy) {
    return env.fromSource(new Fixtures.IdleSource(), "silent")
        .map(record -> (Long) record)
        .assignTimestampsAndWatermarks(strategy);
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void anIdleSourceDoesNotHoldWindowsBack() {
    TestRun run =
        run(
            env -> {
              env.configure("pipeline.auto-watermark-interval", "5 ms");
              endless(env)
                  .union(
                      silent(
                          env,
                          WatermarkStrategy.<Long>forMonotonousTimestamps()
                              .withIdleness(Duration.ofMillis(20))))
                  .keyBy(time -> time % 7)
                  .window(TumblingEventTimeWindows.of(SECOND))
                  .aggregate(new Count())
                  .parallelism(2)
                  .collectAs("out");
            });
    run.await("windows fired", () -> run.collected().size() > 100);
    assertThat(run.collected()).allMatch(count -> count.equals(142L) || count.equals(143L));
    run.cancel();
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
  }

  @Test
  void aSilentSourceThatIsNotIdleHoldsWindowsBackWhateverTheOthersDo() {
    TestRun run =
        run(
            env -> {
              env.configure("pipeline.auto-watermark-interval", "5 ms");
              DataStream<Long> passed =
                  endless(env).union(silent(env, WatermarkStrategy.forMonotonousTimestamps()));
              passed
                  .keyBy(time -> time % 7)
                  .window(TumblingEventTimeWindows.of(SECOND))
                  .aggregate(new Count())
                  .collectAs("windows");
              passed.filter(time -> time % 10_000 == 0).collectAs("passed");
            });
    run.await("many seconds passed", () -> run.collected("passed").size() > 30);
    assertThat(run.collected("windows")).isEmpty();
    run.cancel();
    run.awaitEnd();
  }

  @Test
  @Behaviour("H1: a side output is a separate stream")
  void sideOutputsAreStreamsOfTheirOwnChainedOrNot() {
    TestRun run =
        run(
            env -> {
              DataStream<Long> even =
                  env.generate(index -> index, 1000)
                      .process(
                          (record, context, out) -> {
                            if (record % 2 == 0) {
                              out.emit(record);
                            } else {
                              context.output(ODD, record);
                              context.output(new OutputTag<>("nobody reads"), record);
                            }
                          });
              even.collectAs("even");
              even.sideOutput(ODD).map(record -> record).collectAs("odd");
              even.sideOutput(ODD)
                  .keyBy(record -> record % 10)
                  .count()
                  .filter(counted -> counted.count() == 100)
                  .map(counted -> counted.key())
                  .parallelism(3)
                  .collectAs("keys");
            });
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected("even"))
        .containsExactlyElementsOf(
            LongStream.range(0, 500).mapToObj(i -> (Object) (i * 2)).toList());
    assertThat(run.collected("odd"))
        .containsExactlyElementsOf(
            LongStream.range(0, 500).mapToObj(i -> (Object) (i * 2 + 1)).toList());
    assertThat(run.collected("keys")).containsExactlyInAnyOrder(1L, 3L, 5L, 7L, 9L);
  }

  private static List<WindowAssigner> processingTime() {
    return List.of(
        TumblingProcessingTimeWindows.of(Duration.ofMillis(20)),
        SlidingProcessingTimeWindows.of(Duration.ofMillis(40), Duration.ofMillis(20)),
        ProcessingTimeSessionWindows.withGap(Duration.ofMillis(20)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @Behaviour("H1: processing-time windows fire by themselves and at the end of the input")
  void processingTimeWindowsFireByThemselves(int which) {
    TestRun run =
        run(
            env -> {
              DataStream<Long> numbers =
                  env.generate(index -> index, 1000)
                      .union(
                          env.fromSource(new Fixtures.IdleSource(), "silent")
                              .map(record -> (Long) record));
              numbers
                  .keyBy(number -> number % 3)
                  .window(processingTime().get(which))
                  .aggregate(new Count())
                  .collectAs("out");
            });
    long each = which == 1 ? 2000 : 1000;
    run.await(
        "all counted",
        () -> run.collected().stream().mapToLong(count -> (Long) count).sum() == each);
    run.cancel();
    run.awaitEnd();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @Behaviour("H1: processing-time windows fire by themselves and at the end of the input")
  void processingTimeWindowsThatAreLeftFireAtTheEndOfTheInput(int which) {
    TestRun run =
        run(env ->
                env.generate(index -> index, 1000)
                    .keyBy(number -> number % 3)
                    .window(processingTime().get(which))
                    .aggregate(new Count())
                    .collectAs("out"))
            .awaitEnd();
    assertThat(run.collected().stream().mapToLong(count -> (Long) count).sum())
        .isEqualTo(which == 1 ? 2000 : 1000);
  }

  @Test
  void resultsOfAWindowHaveItsLastMomentAsTimestampForTheNextWindow() {
    TestRun run =
        run(env ->
                env.generate(index -> index, 10_000)
                    .assignTimestampsAndWatermarks(
                        WatermarkStrategy.forMonotonousTimestamps(time -> time))
                    .keyBy(time -> time % 10)
                    .window(TumblingEventTimeWindows.of(SECOND))
                    .aggregate(new Count())
                    .parallelism(3)
                    .keyBy(count -> 0)
                    .window(TumblingEventTimeWindows.of(SECOND))
                    .reduce(
                        Long::sum,
                        (key, context, sums, out) ->
                            sums.forEach(sum -> out.emit(context.window().start() + ":" + sum)))
                    .collectAs("out"))
            .awaitEnd();
    assertThat(run.failures()).isEmpty();
    List<Object> expected = new ArrayList<>();
    for (int second = 0; second < 10; second++) {
      expected.add(second * 1000L + ":1000");
    }
    assertThat(run.collected()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void nothingIsLateInBatchMode() {
    TestRun run =
        run(env -> {
              env.runtimeMode(RuntimeMode.BATCH);
              env.configure("pipeline.auto-watermark-interval", "1 ms");
              env.generate(index -> 99_999 - index, 100_000)
                  .assignTimestampsAndWatermarks(
                      WatermarkStrategy.forMonotonousTimestamps(time -> time))
                  .keyBy(time -> 0)
                  .window(TumblingEventTimeWindows.of(SECOND))
                  .aggregate(new Count())
                  .collectAs("out");
            })
            .awaitEnd();
    assertThat(run.collected()).hasSize(100).containsOnly(1000L);
  }

  /** Every third event has a watermark of its own time, every other third one of long before. */
  private static List<RandomEvents.Event> backAndForth() {
    return IntStream.range(0, 3000)
        .mapToObj(
            i ->
                new RandomEvents.Event(
                    i,
                    0L,
                    i % 3 == 0 ? i : i - 500L,
                    i % 3 == 2 ? RandomEvents.NO_WATERMARK : i % 3 == 0 ? i : i - 1000L))
        .toList();
  }

  @Test
  void nothingIsLateInBatchModeWhateverGeneratorsSay() {
    TestRun run =
        run(env -> {
              env.runtimeMode(RuntimeMode.BATCH);
              env.fromSource(CollectionSource.of(backAndForth()), RandomEvents.asSaid(), "events")
                  .keyBy(RandomEvents.Event::key)
                  .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                  .aggregate(new Count())
                  .collectAs("out");
            })
            .awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected().stream().mapToLong(count -> (Long) count).sum()).isEqualTo(3000);
    assertThat(run.collected()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void eventTimeDoesNotGoBackWhateverGeneratorsSay() {
    TestRun run =
        run(env ->
                env.fromSource(CollectionSource.of(backAndForth()), RandomEvents.asSaid(), "events")
                    .<Long>process((event, context, out) -> out.emit(context.currentWatermark()))
                    .collectAs("out"))
            .awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected().stream().map(mark -> (Long) mark))
        .hasSize(3000)
        .isSorted()
        .contains(2997L);
  }

  @Test
  void aWindowInEventTimeSaysThatARecordHasNoTime() {
    TestRun run =
        run(env ->
                env.generate(index -> index, 10)
                    .keyBy(time -> 0)
                    .window(TumblingEventTimeWindows.of(SECOND))
                    .aggregate(new Count())
                    .collectAs("out"))
            .awaitEnd();
    assertThat(run.failures())
        .extracting(Failure::message)
        .anyMatch(
            message ->
                message.contains("'window aggregate'")
                    && message.contains("assignTimestampsAndWatermarks"));
  }

  @Test
  void sessionsRefuseAnAggregateThatCannotMerge() {
    AggregateFunction<Object, Integer, Integer> merely =
        new AggregateFunction<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public Integer create() {
            return 0;
          }

          @Override
          public Integer add(Integer sum, Object record) {
            return sum + 1;
          }

          @Override
          public Integer result(Integer sum) {
            return sum;
          }
        };
    assertThatThrownBy(
            () ->
                ProgramGraphs.graph(
                    env ->
                        env.generate(index -> index, 10)
                            .keyBy(time -> 0)
                            .window(EventTimeSessionWindows.withGap(SECOND))
                            .aggregate(merely)
                            .collectAs("out")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Override AggregateFunction.merge");
  }

  private static final class AsksForState implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public void open(RuntimeContext context) {
      context.state(new ValueStateDescriptor<>("sum"));
    }

    @Override
    public Long map(Long record) {
      return record;
    }
  }

  @Test
  void aFunctionWithoutKeysHasNoKeyedState() {
    TestRun run =
        run(env -> env.generate(index -> index, 10).map(new AsksForState()).collectAs("out"))
            .awaitEnd();
    assertThat(run.failures())
        .extracting(Failure::message)
        .anyMatch(message -> message.contains("State 'sum'") && message.contains("behind keyBy"));
  }

  /** Whether a thread is blocked inside of this class; a step that runs is not. */
  private static boolean isBlockedIn(StackTraceElement[] stack, String type) {
    boolean blocks = Stream.of(stack).anyMatch(frame -> frame.getMethodName().equals("awaitRoom"));
    return blocks && Stream.of(stack).anyMatch(frame -> frame.getClassName().endsWith(type));
  }

  @Test
  @Behaviour("H1: firing many windows pauses when the output has no room and resumes later")
  void manyWindowsFireThroughAnOutputThatHasNoRoom() {
    TestRun run =
        TestRun.of(
                ProgramGraphs.graph(
                    env ->
                        env.generate(index -> index, 300_000)
                            .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>noWatermarks()
                                    .withTimestampAssigner((record, before) -> 0))
                            .keyBy(number -> number)
                            .window(TumblingEventTimeWindows.of(SECOND))
                            .reduce((left, right) -> left)
                            .collectAs("out")),
                host)
            .holdCollected()
            .deploy(1, subtask -> 0);
    // Every record has its own window, and all fire at once when the input ends.
    run.await("first results", () -> !run.collected().isEmpty());
    assertThat(Thread.getAllStackTraces().values())
        .as("a thread that waits for room in the middle of a window")
        .noneMatch(stack -> isBlockedIn(stack, "AlignedWindowing"));
    run.acceptCollected();
    run.awaitEnd();
    assertThat(run.collected()).hasSize(300_000).doesNotHaveDuplicates();
  }
}
