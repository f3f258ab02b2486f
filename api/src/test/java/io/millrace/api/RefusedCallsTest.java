package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.function.IndexFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.function.ValueExtractor;
import io.millrace.api.process.CoProcessFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.source.SocketTextSource;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Illegal arguments are refused by the call that has them, where the stack names the line. */
@ResourceLock("bound program context")
class RefusedCallsTest {

  static Stream<Consumer<DataStream<Integer>>> callsWithoutAFunction() {
    return Stream.of(
        stream -> stream.map(null),
        stream -> stream.flatMap((FlatMapFunction<Integer, Integer>) null),
        stream -> stream.flatMap((FlatMapIterableFunction<Integer, Integer>) null),
        stream -> stream.flatMap(null, (FlatMapFunction<Integer, Integer>) (number, out) -> {}),
        stream -> stream.filter(null),
        stream -> stream.process((ProcessFunction<Integer, Integer>) null),
        stream -> stream.assignTimestampsAndWatermarks(null),
        stream -> stream.sideOutput(null),
        stream -> stream.keyBy(null),
        stream -> stream.partitionCustom(null, number -> number),
        stream -> stream.partitionCustom((key, partitions) -> 0, null),
        stream -> stream.sinkTo(null),
        stream -> stream.slotSharingGroup((SlotSharingGroup) null),
        stream -> stream.connect((DataStream<Integer>) null),
        stream -> stream.connect((BroadcastStream<Integer>) null),
        stream -> stream.broadcast((MapStateDescriptor<?, ?>) null),
        stream -> stream.connect(stream).map((CoMapFunction<Integer, Integer, Integer>) null),
        stream -> stream.connect(stream).map(number -> number, null),
        stream -> stream.connect(stream).flatMap(null, number -> List.of(number)),
        stream ->
            stream.connect(stream).flatMap((CoFlatMapFunction<Integer, Integer, Integer>) null),
        stream ->
            stream.connect(stream).process((CoProcessFunction<Integer, Integer, Integer>) null),
        stream ->
            keyed(stream)
                .connect(keyed(stream))
                .process((KeyedCoProcessFunction<Integer, Integer, Integer, Integer>) null),
        stream -> stream.join(null),
        stream -> stream.coGroup(null),
        stream -> stream.join(stream).where(null),
        stream -> stream.join(stream).where(number -> number).equalTo(null),
        stream -> keyed(stream).intervalJoin(null),
        stream -> stream.windowAll(null),
        stream -> keyed(stream).min((ValueExtractor<Integer, Integer>) null),
        stream -> keyed(stream).minBy((ValueExtractor<Integer, Integer>) null),
        stream -> windowed(stream).trigger(null),
        stream -> windowed(stream).evictor(null),
        stream -> keyed(stream).reduce(null),
        stream -> keyed(stream).aggregate(null),
        stream -> keyed(stream).sum(null),
        stream -> keyed(stream).process((KeyedProcessFunction<Integer, Integer, Integer>) null),
        stream -> keyed(stream).window(null),
        stream -> windowed(stream).sideOutputLateData(null),
        stream -> windowed(stream).allowedLateness(null),
        stream -> windowed(stream).reduce(null),
        stream ->
            windowed(stream)
                .reduce(Integer::sum, (ProcessWindowFunction<Integer, Integer, Integer>) null),
        stream -> windowed(stream).aggregate(null),
        stream ->
            windowed(stream).process((ProcessWindowFunction<Integer, Integer, Integer>) null));
  }

  private static KeyedStream<Integer, Integer> keyed(DataStream<Integer> stream) {
    return stream.keyBy(number -> number);
  }

  private static WindowedStream<Integer, Integer> windowed(DataStream<Integer> stream) {
    return keyed(stream).window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)));
  }

  @ParameterizedTest
  @MethodSource("callsWithoutAFunction")
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void functionIsNotNull(Consumer<DataStream<Integer>> call) throws Exception {
    run(env -> assertThatNullPointerException().isThrownBy(() -> call.accept(numbers(env))));
  }

  static Stream<Consumer<StreamEnvironment>> sourcesWithoutAnArgument() {
    return Stream.of(
        env -> env.fromSource(null, "source"),
        env -> env.fromSource(null, WatermarkStrategy.noWatermarks(), "source"),
        env -> env.fromCollection(null),
        env -> env.fromElements(1, null),
        env -> env.generate((IndexFunction<Integer>) null),
        env -> env.readText(null),
        env -> env.readText("path", (String) null),
        env -> env.socketText(null, 1),
        env -> env.registerSerializer(String.class, null));
  }

  @ParameterizedTest
  @MethodSource("sourcesWithoutAnArgument")
  void sourceIsNotNull(Consumer<StreamEnvironment> call) throws Exception {
    run(env -> assertThatNullPointerException().isThrownBy(() -> call.accept(env)));
  }

  static Stream<String> emptyTexts() {
    return Stream.of(null, "", " \t");
  }

  @ParameterizedTest
  @MethodSource("emptyTexts")
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void namesAreNotEmpty(String empty) throws Exception {
    run(
        env -> {
          refused("name", () -> numbers(env).name(empty));
          refused("uid", () -> numbers(env).uid(empty));
          refused("slot sharing group", () -> numbers(env).slotSharingGroup(empty));
          refused("name", () -> numbers(env).print().name(empty));
          refused("uid", () -> numbers(env).print().uid(empty));
          refused("slot sharing group", () -> numbers(env).print().slotSharingGroup(empty));
          refused("name", () -> numbers(env).collectAs(empty));
          refused("name", () -> env.fromSource(SocketTextSource.of("localhost", 1), empty));
          refused("side output's id", () -> new OutputTag<>(empty));
        });
  }

  @ParameterizedTest
  @MethodSource("emptyTexts")
  void statesHaveNames(String empty) {
    ReduceFunction<Integer> sum = Integer::sum;
    refused("name of a state", () -> new ValueStateDescriptor<Integer>(empty));
    refused("name of a state", () -> new ListStateDescriptor<Integer>(empty));
    refused("name of a state", () -> new MapStateDescriptor<Integer, Integer>(empty));
    refused("name of a state", () -> new ReducingStateDescriptor<>(empty, sum));
    refused("name of a state", () -> new AggregatingStateDescriptor<>(empty, new Length()));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, (1 << 15) + 1, Integer.MAX_VALUE})
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void parallelismIsWithinItsRange(int parallelism) throws Exception {
    String number = "this is " + parallelism;
    run(
        env -> {
          refused(number, () -> env.parallelism(parallelism));
          refused(number, () -> env.maxParallelism(parallelism));
          refused(number, () -> numbers(env).parallelism(parallelism));
          refused(number, () -> numbers(env).maxParallelism(parallelism));
          refused(number, () -> numbers(env).print().parallelism(parallelism));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1 << 15})
  void boundsOfParallelismAreLegal(int parallelism) throws Exception {
    run(
        env -> {
          env.parallelism(parallelism).maxParallelism(parallelism);
          numbers(env)
              .parallelism(parallelism)
              .maxParallelism(parallelism)
              .print()
              .parallelism(parallelism);
        });
  }

  @Test
  void routesTakeNoSettings() throws Exception {
    run(
        env -> {
          for (DataStream<Integer> route :
              List.of(
                  numbers(env).rebalance(),
                  numbers(env).rescale(),
                  numbers(env).broadcast(),
                  numbers(env).forward(),
                  numbers(env).union(numbers(env)),
                  keyed(numbers(env)))) {
            refused("no name", () -> route.name("name"));
            refused("no uid", () -> route.uid("uid"));
            refused("no parallelism", () -> route.parallelism(2));
            refused("no max parallelism", () -> route.maxParallelism(2));
            refused("no chaining", route::disableChaining);
            refused("no chaining", route::startNewChain);
            refused("no slot sharing group", () -> route.slotSharingGroup("group"));
          }
        });
  }

  @Test
  void latenessIsNotNegative() throws Exception {
    run(
        env ->
            refused(
                "PT-0.001S", () -> windowed(numbers(env)).allowedLateness(Duration.ofMillis(-1))));
  }

  @Test
  void sessionsNeedAFunctionThatMerges() throws Exception {
    run(
        env ->
            refused(
                "AggregateFunction.merge",
                () ->
                    keyed(numbers(env))
                        .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(1)))
                        .aggregate(new Length())));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 65_536})
  void portIsWithinItsRange(int port) {
    refused("this is " + port, () -> SocketTextSource.of("localhost", port));
  }

  @Test
  void transformationsReadOnlyFromEarlierOnes() {
    for (int input : new int[] {-1, 0, 1}) {
      assertThatThrownBy(
              () ->
                  new Program(
                      "loop",
                      List.of(new Transformation.Union(List.of(input))),
                      Configuration.EMPTY))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reads from " + input);
    }
  }

  @ParameterizedTest
  @EnumSource(JobStatus.class)
  void resultHasAFailureExactlyWhereItFailed(JobStatus status) {
    Optional<Failure> failure =
        status == JobStatus.FAILED
            ? Optional.empty()
            : Optional.of(Failure.of(ErrorKind.USER, "failure"));
    JobId job = new JobId(new Id128(1, 2));
    assertThatThrownBy(() -> new JobExecutionResult(job, "job", status, Duration.ZERO, failure))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(status.name());
  }

  @ParameterizedTest
  @EnumSource(JobStatus.class)
  @Behaviour("E5: a job leaves no final state, and each other state can be suspended")
  void finalStatesAreFinalAndOthersCanBeSuspended(JobStatus status) {
    Set<JobStatus> next = EnumSet.noneOf(JobStatus.class);
    for (JobStatus other : JobStatus.values()) {
      if (status.canBecome(other)) {
        next.add(other);
      }
    }
    if (status.isTerminal() || status == JobStatus.SUSPENDED) {
      assertThat(next).isEmpty();
    } else {
      assertThat(next).contains(JobStatus.SUSPENDED).doesNotContain(status);
    }
  }

  /** Does not override {@code merge}. */
  private static final class Length implements AggregateFunction<Integer, Integer, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer create() {
      return 0;
    }

    @Override
    public Integer add(Integer accumulator, Integer value) {
      return accumulator + 1;
    }

    @Override
    public Integer result(Integer accumulator) {
      return accumulator;
    }
  }

  private static DataStream<Integer> numbers(StreamEnvironment env) {
    return env.fromElements(1, 2);
  }

  private static void refused(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(message);
  }

  private static void run(Consumer<StreamEnvironment> main) throws Exception {
    new ProgramContext(new RecordingExecutor(), Configuration.EMPTY)
        .during(
            () -> {
              main.accept(StreamEnvironment.current());
              return true;
            });
  }
}
