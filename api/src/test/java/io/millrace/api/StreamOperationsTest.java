package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.Partitioner;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.program.Chaining;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Program;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.sink.PrintSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.source.SocketTextSource;
import io.millrace.api.source.Source;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What each call on a stream adds to the program: its name, its inputs and its functions. */
@ResourceLock("bound program context")
class StreamOperationsTest {
  private static final KeySelector<Integer, Integer> PARITY = number -> number % 2;
  private static final ReduceFunction<Integer> SUM = Integer::sum;

  @Test
  @Behaviour("A6: each API call adds one transformation")
  void functionsOfRecordsAreHeldByTheirOperators() throws Exception {
    MapFunction<Integer, String> map = number -> "n" + number;
    FlatMapFunction<String, Character> flatMap = (text, out) -> out.emit(text.charAt(0));
    FilterFunction<Character> filter = letter -> letter == 'n';
    ProcessFunction<Character, Integer> process = (letter, context, out) -> out.emit(1);
    List<Transformation> added =
        added(env -> env.fromElements(1).map(map).flatMap(flatMap).filter(filter).process(process));

    assertThat(specAt(added, 1, "map", 0)).isEqualTo(new OperatorSpec.Map(TypeErasure.map(map)));
    assertThat(specAt(added, 2, "flatMap", 1))
        .isEqualTo(new OperatorSpec.FlatMap(TypeErasure.flatMap(flatMap)));
    assertThat(specAt(added, 3, "filter", 2))
        .isEqualTo(new OperatorSpec.Filter(TypeErasure.filter(filter)));
    assertThat(specAt(added, 4, "process", 3))
        .isEqualTo(new OperatorSpec.Processing(TypeErasure.process(process)));
    assertThat(added).hasSize(5);
  }

  @Test
  void classOfTheResultsIsForTheCompilerOnly() throws Exception {
    FlatMapFunction<Integer, String> flatMap = (number, out) -> out.emit("n" + number);
    ProcessFunction<String, Integer> process = (text, context, out) -> out.emit(1);
    List<Transformation> added =
        added(
            env ->
                env.fromElements(1).flatMap(String.class, flatMap).process(Integer.class, process));

    assertThat(specAt(added, 1, "flatMap", 0))
        .isEqualTo(new OperatorSpec.FlatMap(TypeErasure.flatMap(flatMap)));
    assertThat(specAt(added, 2, "process", 1))
        .isEqualTo(new OperatorSpec.Processing(TypeErasure.process(process)));
  }

  @Test
  void routesNameWhereRecordsGo() throws Exception {
    Partitioner<Integer> partitioner = (key, partitions) -> key % partitions;
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.rebalance();
              numbers.rescale();
              numbers.broadcast();
              numbers.forward();
              numbers.keyBy(PARITY);
              numbers.partitionCustom(partitioner, PARITY);
            });

    assertThat(added.subList(1, added.size()))
        .containsExactly(
            new Transformation.Route(0, new Routing.Rebalance()),
            new Transformation.Route(0, new Routing.Rescale()),
            new Transformation.Route(0, new Routing.Broadcast()),
            new Transformation.Route(0, new Routing.Forward()),
            new Transformation.Route(0, new Routing.Keyed(TypeErasure.key(PARITY))),
            new Transformation.Route(
                0,
                new Routing.Custom(TypeErasure.key(PARITY), TypeErasure.partitioner(partitioner))));
  }

  @Test
  void unionKeepsTheOrderOfItsStreamsAndMayNameOneTwice() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> first = env.fromElements(1);
              DataStream<Integer> second = env.fromElements(2);
              second.union(first, second);
              first.union();
            });

    assertThat(added.subList(2, 4))
        .containsExactly(
            new Transformation.Union(List.of(1, 0, 1)), new Transformation.Union(List.of(0)));
  }

  @Test
  void aggregationsOfAKeyHoldItsSelector() throws Exception {
    Average average = new Average();
    List<Transformation> added =
        added(
            env -> {
              KeyedStream<Integer, Integer> keyed = env.fromElements(1).keyBy(PARITY);
              keyed.reduce(SUM);
              keyed.aggregate(average);
              keyed.count();
              keyed.sum(number -> number);
            });

    assertThat(specAt(added, 2, "reduce", 1))
        .isEqualTo(
            new OperatorSpec.Reduce(TypeErasure.key(PARITY), TypeErasure.reduce(SUM), false));
    OperatorSpec.Aggregate aggregate = (OperatorSpec.Aggregate) specAt(added, 3, "aggregate", 1);
    assertThat(aggregate)
        .isEqualTo(
            new OperatorSpec.Aggregate(
                TypeErasure.key(PARITY), TypeErasure.aggregate(average), false));
    assertThat(aggregate.ofNumber()).isEmpty();
    OperatorSpec.Aggregate count = (OperatorSpec.Aggregate) specAt(added, 4, "count", 1);
    assertThat(count.key()).isSameAs(PARITY);
    assertThat(count.ofNumber()).isPresent();
    OperatorSpec.Aggregate sum = (OperatorSpec.Aggregate) specAt(added, 5, "sum", 1);
    assertThat(sum.key()).isSameAs(PARITY);
    assertThat(sum.ofNumber()).isPresent();
  }

  @Test
  void processFunctionOfAKeyedStreamHasItsKey() throws Exception {
    KeyedProcessFunction<Integer, Integer, String> function =
        new KeyedProcessFunction<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public void process(Integer record, Context<Integer> context, Collector<String> out) {}
        };
    List<Transformation> added = added(env -> env.fromElements(1).keyBy(PARITY).process(function));

    assertThat(specAt(added, 2, "process", 1))
        .isEqualTo(
            new OperatorSpec.KeyedProcessing(
                TypeErasure.key(PARITY), TypeErasure.process(function)));
  }

  private static final class RichMap
      implements MapFunction<Integer, Integer>,
          FlatMapFunction<Integer, Integer>,
          FilterFunction<Integer>,
          RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(Integer record) {
      return record;
    }

    @Override
    public void flatMap(Integer record, Collector<Integer> out) {
      out.emit(record);
    }

    @Override
    public boolean keep(Integer record) {
      return true;
    }
  }

  private static final class RichIterable
      implements FlatMapIterableFunction<Integer, Integer>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterable<Integer> flatMap(Integer record) {
      return List.of(record);
    }
  }

  @Test
  @Behaviour("H1: rich functions behind keyBy have keyed state")
  void richFunctionsOfAKeyedStreamHaveItsKey() throws Exception {
    RichMap rich = new RichMap();
    ProcessFunction<Integer, Integer> process = (number, context, out) -> out.emit(number);
    List<Transformation> added =
        added(
            env -> {
              KeyedStream<Integer, Integer> keyed = env.fromElements(1).keyBy(PARITY);
              keyed.map((MapFunction<Integer, Integer>) rich);
              keyed.flatMap((FlatMapFunction<Integer, Integer>) rich);
              keyed.filter(rich);
              keyed.process(process);
              keyed.flatMap(new RichIterable());
            });

    assertThat(specAt(added, 2, "map", 1)).isEqualTo(keyed(new OperatorSpec.Map(erasedMap(rich))));
    assertThat(specAt(added, 3, "flatMap", 1))
        .isEqualTo(keyed(new OperatorSpec.FlatMap(TypeErasure.flatMap(rich))));
    assertThat(specAt(added, 4, "filter", 1))
        .isEqualTo(keyed(new OperatorSpec.Filter(TypeErasure.filter(rich))));
    assertThat(specAt(added, 5, "process", 1))
        .isEqualTo(keyed(new OperatorSpec.Processing(TypeErasure.process(process))));
    assertThat(specAt(added, 6, "flatMap", 1)).isInstanceOf(OperatorSpec.Keyed.class);
  }

  @Test
  void functionsThatAreNotRichHaveNoKey() throws Exception {
    RichMap rich = new RichMap();
    MapFunction<Integer, Integer> map = number -> number;
    List<Transformation> added =
        added(
            env -> {
              KeyedStream<Integer, Integer> keyed = env.fromElements(1).keyBy(PARITY);
              keyed.map(map);
              keyed.flatMap(number -> List.of(number));
              env.fromElements(1).filter(rich);
            });

    assertThat(specAt(added, 2, "map", 1)).isEqualTo(new OperatorSpec.Map(TypeErasure.map(map)));
    assertThat(specAt(added, 3, "flatMap", 1)).isInstanceOf(OperatorSpec.FlatMap.class);
    assertThat(specAt(added, 5, "filter", 4))
        .isEqualTo(new OperatorSpec.Filter(TypeErasure.filter(rich)));
  }

  @Test
  void onlyOperatorsWithoutAKeySelectorOfTheirOwnAreKeyed() {
    OperatorSpec reduce =
        new OperatorSpec.Reduce(TypeErasure.key(PARITY), TypeErasure.reduce(SUM), false);

    assertThatIllegalArgumentException().isThrownBy(() -> keyed(reduce));
  }

  private static OperatorSpec keyed(OperatorSpec operator) {
    return new OperatorSpec.Keyed(TypeErasure.key(PARITY), operator);
  }

  private static MapFunction<Object, Object> erasedMap(MapFunction<Integer, Integer> map) {
    return TypeErasure.map(map);
  }

  @Test
  void windowsHoldContentAndFunction() throws Exception {
    Average average = new Average();
    ProcessWindowFunction<Integer, String, Integer> results =
        (key, context, content, out) -> out.emit("result");
    ProcessWindowFunction<Double, String, Integer> ofAverage =
        (key, context, content, out) -> out.emit("result");
    WindowAssigner assigner = TumblingProcessingTimeWindows.of(Duration.ofSeconds(2));
    List<Transformation> added =
        added(
            env -> {
              WindowedStream<Integer, Integer> windowed =
                  env.fromElements(1).keyBy(PARITY).window(assigner);
              windowed.reduce(SUM);
              windowed.reduce(SUM, results);
              windowed.aggregate(average);
              windowed.aggregate(average, ofAverage);
              windowed.process(results);
              windowed.process(String.class, results);
            });

    WindowSpec.Content reduced = new WindowSpec.Content.Reduced(TypeErasure.reduce(SUM));
    WindowSpec.Content aggregated =
        new WindowSpec.Content.Aggregated(TypeErasure.aggregate(average));
    WindowSpec.Content records = new WindowSpec.Content.Records();
    assertThat(windowAt(added, 2, "window reduce"))
        .isEqualTo(new WindowSpec(assigner, 0, "", reduced, WindowSpec.PassThrough.INSTANCE));
    assertThat(windowAt(added, 3, "window reduce"))
        .isEqualTo(new WindowSpec(assigner, 0, "", reduced, TypeErasure.process(results)));
    assertThat(windowAt(added, 4, "window aggregate"))
        .isEqualTo(new WindowSpec(assigner, 0, "", aggregated, WindowSpec.PassThrough.INSTANCE));
    assertThat(windowAt(added, 5, "window aggregate"))
        .isEqualTo(new WindowSpec(assigner, 0, "", aggregated, TypeErasure.process(ofAverage)));
    assertThat(windowAt(added, 6, "window process"))
        .isEqualTo(new WindowSpec(assigner, 0, "", records, TypeErasure.process(results)));
    assertThat(windowAt(added, 7, "window process"))
        .isEqualTo(windowAt(added, 6, "window process"));
  }

  @Test
  void windowFunctionsThatReturnTheirResultAreAdapted() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              WindowedStream<Integer, Integer> windowed =
                  env.fromElements(1)
                      .keyBy(PARITY)
                      .window(
                          SlidingEventTimeWindows.of(Duration.ofSeconds(2), Duration.ofSeconds(1)));
              windowed.reduce(SUM, (key, window, value) -> key + value);
              windowed.aggregate(new Average(), (key, window, value) -> key + value);
              windowed.process((key, window, values) -> key);
            });

    assertThat(windowAt(added, 2, "window reduce").function())
        .isInstanceOf(FunctionAdapters.MapFolded.class);
    assertThat(windowAt(added, 3, "window aggregate").function())
        .isInstanceOf(FunctionAdapters.MapFolded.class);
    assertThat(windowAt(added, 4, "window process").function())
        .isInstanceOf(FunctionAdapters.MapRecords.class);
  }

  @Test
  void latenessBelongsToTheOperatorsThatFollowIt() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              WindowedStream<Integer, Integer> windowed =
                  env.fromElements(1)
                      .keyBy(PARITY)
                      .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(3)));
              windowed.reduce(SUM);
              windowed
                  .allowedLateness(Duration.ofMillis(7))
                  .sideOutputLateData(new OutputTag<>("late"))
                  .reduce(SUM);
            });

    WindowSpec before = windowAt(added, 2, "window reduce");
    assertThat(before.latenessMillis()).isZero();
    assertThat(before.lateOutput()).isEmpty();
    WindowSpec after = windowAt(added, 3, "window reduce");
    assertThat(after.assigner()).isEqualTo(new WindowAssigner.Session(3000, true));
    assertThat(after.latenessMillis()).isEqualTo(7);
    assertThat(after.lateOutput()).isEqualTo("late");
  }

  @Test
  void onlyContentThatMergesIsSharedBetweenWindows() {
    assertThat(new WindowSpec.Content.Reduced(TypeErasure.reduce(SUM)).merges()).isTrue();
    assertThat(new WindowSpec.Content.Records().merges()).isFalse();
    assertThat(new WindowSpec.Content.Aggregated(TypeErasure.aggregate(new Average())).merges())
        .isFalse();
    assertThat(
            new WindowSpec.Content.Aggregated(TypeErasure.aggregate(new MergingAverage())).merges())
        .isTrue();
  }

  @Test
  void sessionsTakeAnAggregationThatMerges() throws Exception {
    List<Transformation> added =
        added(
            env ->
                env.fromElements(1)
                    .keyBy(PARITY)
                    .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(3)))
                    .aggregate(new MergingAverage()));

    assertThat(windowAt(added, 2, "window aggregate").content().merges()).isTrue();
  }

  @Test
  void sourcesHaveNamesOfTheirKind() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              env.fromElements("a", "b");
              env.fromCollection(List.of("c"));
              env.readText("/data/in.txt", "/data/more");
              env.generate(index -> index);
              env.generate(index -> index, 5);
              env.socketText("host", 9999);
              env.fromSource(GeneratorSource.of(index -> index), "clock");
            });

    CollectionSource<?> elements = (CollectionSource<?>) sourceAt(added, 0, "collection");
    assertThat(List.<Object>copyOf(elements.elements())).containsExactly("a", "b");
    assertThat(sourceAt(added, 1, "collection").isBounded()).isTrue();
    Object text = sourceAt(added, 2, "text");
    assertThat(text).isInstanceOf(TextFileSource.class);
    assertThat(sourceAt(added, 3, "generator").isBounded()).isFalse();
    assertThat(sourceAt(added, 4, "generator").isBounded()).isTrue();
    Source<Object, ?> socket = sourceAt(added, 5, "socket");
    assertThat((Object) socket).isInstanceOf(SocketTextSource.class);
    assertThat(socket.maxParallelism()).isEqualTo(1);
    assertThat(sourceAt(added, 6, "clock")).isInstanceOf(GeneratorSource.class);
  }

  @Test
  void sourceWithAStrategyIsTwoOperators() throws Exception {
    WatermarkStrategy<Long> strategy = WatermarkStrategy.forMonotonousTimestamps(index -> index);
    List<Transformation> added =
        added(env -> env.fromSource(GeneratorSource.of(index -> index), strategy, "clock"));

    assertThat(sourceAt(added, 0, "clock")).isInstanceOf(GeneratorSource.class);
    assertThat(specAt(added, 1, "timestamps", 0))
        .isEqualTo(new OperatorSpec.Timestamps(TypeErasure.watermarks(strategy), false));
  }

  @Test
  void sinksAreNamedAfterTheirClass() throws Exception {
    Sink<Object> lambda = context -> record -> {};
    Sink<Object> anonymous =
        new Sink<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public SinkWriter<Object> createWriter(SinkContext context) {
            return record -> {};
          }
        };
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.sinkTo(new DiscardSink<>());
              numbers.sinkTo(lambda);
              numbers.sinkTo(anonymous);
              numbers.print();
              numbers.collectAs("numbers");
            });

    assertThat(specAt(added, 1, "DiscardSink", 0)).isInstanceOf(OperatorSpec.Sink.class);
    assertThat(specAt(added, 2, "sink", 0))
        .isEqualTo(new OperatorSpec.Sink(TypeErasure.sink(lambda)));
    assertThat(specAt(added, 3, "sink", 0))
        .isEqualTo(new OperatorSpec.Sink(TypeErasure.sink(anonymous)));
    assertThat(((OperatorSpec.Sink) specAt(added, 4, "print", 0)).sink())
        .isInstanceOf(PrintSink.class);
    assertThat(specAt(added, 5, "collect", 0)).isEqualTo(new OperatorSpec.Collect("numbers"));
  }

  @Test
  void cacheNamesItsDataSetAndPassesRecordsOn() throws Exception {
    List<CachedStream<Integer>> cached = new ArrayList<>();
    List<Transformation> added =
        added(
            env -> {
              cached.add(env.fromElements(1).cache());
              cached.add(env.fromElements(2).cache());
              cached.get(0).map(number -> number);
            });

    assertThat(specAt(added, 1, "cache", 0))
        .isEqualTo(new OperatorSpec.Cache(cached.get(0).dataSet().toString()));
    assertThat(cached.get(0).dataSet()).isNotEqualTo(cached.get(1).dataSet());
    assertThat(added.get(4).inputs()).containsExactly(1);
  }

  @Test
  void eachSettingChangesOnlyItself() throws Exception {
    SlotSharingGroup large =
        SlotSharingGroup.newBuilder("large").cpuCores(1).taskHeapMemoryMB(64).build();
    List<Transformation> added =
        added(
            env -> {
              env.fromElements(1).uid("a");
              env.fromElements(1).parallelism(3);
              env.fromElements(1).maxParallelism(64);
              env.fromElements(1).slotSharingGroup("green");
              env.fromElements(1).slotSharingGroup(large);
              env.fromElements(1).disableChaining();
              env.fromElements(1).startNewChain();
              env.fromElements(1);
            });

    OperatorSettings unset = OperatorSettings.UNSET;
    assertThat(added)
        .extracting(one -> ((Transformation.Operator) one).settings())
        .containsExactly(
            settings(Optional.of("a"), OptionalInt.empty(), Optional.empty(), Chaining.ALWAYS),
            settings(Optional.empty(), OptionalInt.of(3), Optional.empty(), Chaining.ALWAYS),
            new OperatorSettings(
                unset.uid(),
                unset.parallelism(),
                OptionalInt.of(64),
                unset.slotSharingGroup(),
                Chaining.ALWAYS),
            settings(
                Optional.empty(),
                OptionalInt.empty(),
                Optional.of(SlotSharingGroup.named("green")),
                Chaining.ALWAYS),
            settings(Optional.empty(), OptionalInt.empty(), Optional.of(large), Chaining.ALWAYS),
            settings(Optional.empty(), OptionalInt.empty(), Optional.empty(), Chaining.NEVER),
            settings(Optional.empty(), OptionalInt.empty(), Optional.empty(), Chaining.HEAD),
            unset);
  }

  @Test
  void sinksHaveSettingsOfTheirOwn() throws Exception {
    SlotSharingGroup large =
        SlotSharingGroup.newBuilder("large").cpuCores(1).taskHeapMemoryMB(64).build();
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.print().name("out").uid("out-1").parallelism(2).disableChaining();
              numbers.print().slotSharingGroup("blue");
              numbers.print().slotSharingGroup(large);
            });

    assertThat(added.get(1))
        .isEqualTo(
            new Transformation.Operator(
                "out",
                ((Transformation.Operator) added.get(1)).spec(),
                List.of(0),
                settings(Optional.of("out-1"), OptionalInt.of(2), Optional.empty(), Chaining.NEVER),
                ((Transformation.Operator) added.get(1)).line()));
    assertThat(((Transformation.Operator) added.get(2)).settings().slotSharingGroup())
        .contains(SlotSharingGroup.named("blue"));
    assertThat(((Transformation.Operator) added.get(3)).settings().slotSharingGroup())
        .contains(large);
    assertThat(((Transformation.Operator) added.get(0)).settings())
        .isEqualTo(OperatorSettings.UNSET);
  }

  @Test
  void lastOfTwoSettingsCounts() throws Exception {
    List<Transformation> added =
        added(
            env ->
                env.fromElements(1)
                    .parallelism(2)
                    .parallelism(5)
                    .disableChaining()
                    .startNewChain()
                    .name("one")
                    .name("two"));

    Transformation.Operator operator = (Transformation.Operator) added.get(0);
    assertThat(operator.name()).isEqualTo("two");
    assertThat(operator.settings())
        .isEqualTo(settings(Optional.empty(), OptionalInt.of(5), Optional.empty(), Chaining.HEAD));
  }

  @Test
  void sideOutputIsReadFromTheOperatorThatEmitsIt() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> processed =
                  env.fromElements(1)
                      .assignTimestampsAndWatermarks(WatermarkStrategy.<Integer>noWatermarks())
                      .keyBy(PARITY)
                      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                      .sideOutputLateData(new OutputTag<>("late"))
                      .reduce(SUM);
              processed.sideOutput(new OutputTag<Integer>("late")).print();
            });

    assertThat(added.get(4)).isEqualTo(new Transformation.SideOutput(3, "late"));
    assertThat(added.get(5).inputs()).containsExactly(4);
  }

  private static OperatorSettings settings(
      Optional<String> uid,
      OptionalInt parallelism,
      Optional<SlotSharingGroup> group,
      Chaining chaining) {
    return new OperatorSettings(uid, parallelism, OptionalInt.empty(), group, chaining);
  }

  private static OperatorSpec specAt(
      List<Transformation> added, int position, String name, int input) {
    Transformation.Operator operator = (Transformation.Operator) added.get(position);
    assertThat(operator.name()).isEqualTo(name);
    assertThat(operator.inputs()).containsExactly(input);
    return operator.spec();
  }

  private static WindowSpec windowAt(List<Transformation> added, int position, String name) {
    OperatorSpec.Window window = (OperatorSpec.Window) specAt(added, position, name, 1);
    assertThat(window.key()).isSameAs(PARITY);
    return window.window();
  }

  private static Source<Object, ?> sourceAt(List<Transformation> added, int position, String name) {
    Transformation.Operator operator = (Transformation.Operator) added.get(position);
    assertThat(operator.name()).isEqualTo(name);
    assertThat(operator.inputs()).isEmpty();
    return ((OperatorSpec.Source) operator.spec()).source();
  }

  private static List<Transformation> added(Consumer<StreamEnvironment> main) throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              main.accept(env);
              return env.executeAsync("test");
            });
    Program program = executor.programs.get(0);
    return program.transformations();
  }

  /** The average, whose accumulator is the sum and the count. Two of them do not merge. */
  private static class Average implements AggregateFunction<Integer, long[], Double> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[2];
    }

    @Override
    public long[] add(long[] accumulator, Integer record) {
      return new long[] {accumulator[0] + record, accumulator[1] + 1};
    }

    @Override
    public Double result(long[] accumulator) {
      return (double) accumulator[0] / accumulator[1];
    }
  }

  private static final class MergingAverage extends Average {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] merge(long[] left, long[] right) {
      return new long[] {left[0] + right[0], left[1] + right[1]};
    }
  }
}
