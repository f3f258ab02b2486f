package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;
import io.millrace.api.program.Program;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.serialization.Serializer;
import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.sink.TextFileSink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkAlignment;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.DataInput;
import java.io.DataOutput;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users read when a program says something that cannot be, word by word. */
@ResourceLock("bound program context")
class ErrorTextsTest {

  private static Arguments refused(ThrowingCallable call, String text) {
    return arguments(call, text);
  }

  static Stream<Arguments> times() {
    return Stream.of(
        refused(
            () -> StateTtl.afterWrite(Duration.ZERO),
            "The time to live of a state is 1 ms or more, not PT0S."),
        refused(
            () -> StateTtl.afterReadOrWrite(Duration.ofNanos(999_999)),
            "The time to live of a state is 1 ms or more, not PT0.000999999S."),
        refused(
            () -> StateTtl.afterWrite(Duration.ofSeconds(-1)),
            "The time to live of a state is 1 ms or more, not PT-1S."),
        refused(
            () -> new WatermarkAlignment("g", Duration.ofMillis(-1), Duration.ofSeconds(1)),
            "A source may be ahead of its alignment group by 0 ms or more, not by PT-0.001S."),
        refused(
            () -> new WatermarkAlignment("g", Duration.ZERO, Duration.ZERO),
            "Watermarks of an alignment group are updated every millisecond or less often, not"
                + " every PT0S."),
        refused(
            () -> WatermarkStrategy.noWatermarks().withIdleness(Duration.ZERO),
            "A stream is idle after 1 ms or more, not after PT0S."),
        refused(
            () -> WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(-5)),
            "Records are out of order by 0 ms or more, not by -5 ms."),
        refused(
            () -> EventTimeSessionWindows.withGap(Duration.ZERO),
            "The gap between sessions is 1 ms or more, not 0 ms."),
        refused(
            () ->
                SlidingEventTimeWindows.of(
                    Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(1)),
            "Windows of 2000 ms, one every 1000 ms, offset 1000 ms, cannot be: size and slide are 1"
                + " ms or more and the offset is below the slide."),
        refused(
            () -> TextFileSource.of("a").monitor(Duration.ofNanos(1)),
            "Paths of a text source are listed every millisecond or less often, not every"
                + " PT0.000000001S."),
        refused(
            () -> TextFileSink.to("a").rollEvery(Duration.ZERO),
            "Parts of a text sink cannot be closed every PT0S. Name at least one millisecond."));
  }

  static Stream<Arguments> sizesAndNames() {
    return Stream.of(
        refused(() -> TextFileSource.of(List.of()), "A text source needs at least one path."),
        refused(
            () -> TextFileSource.of("a", " "),
            "A path of a text source is empty. Name a file or a directory; '.' is the working"
                + " directory."),
        refused(
            () -> TextFileSource.of("a").splitSize(new MemorySize(0)),
            "Splits of a text source have at least one byte. Name a larger size."),
        refused(
            () -> TextFileSink.to("a").rollAt(new MemorySize(0)),
            "Parts of a text sink cannot be closed at 0 bytes. Name a larger size."),
        refused(
            () -> GeneratorSource.of(index -> index).count(-3),
            "A generator makes 0 or more records, not -3."),
        refused(
            () -> GeneratorSource.of(index -> index).perSecond(-1),
            "A generator's rate is above 0 records per second, not -1.0."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").cpuCores(0),
            "Slot sharing group 'g' needs a positive number of cpu cores; this is 0.0."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").cpuCores(Double.NaN),
            "Slot sharing group 'g' needs a positive number of cpu cores; this is NaN."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").taskHeapMemory(new MemorySize(0)),
            "Slot sharing group 'g' needs some task heap memory; this is none."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").taskOffHeapMemoryMB(-1),
            "Slot sharing group 'g' cannot have -1 MB of task off-heap memory."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").externalResource("gpu", 0),
            "Slot sharing group 'g' needs a name and a positive count of each external resource."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").cpuCores(1).build(),
            "Slot sharing group 'g' declares resources without task heap memory. Say both cpuCores"
                + " and taskHeapMemory, or nothing."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").managedMemoryMB(1).build(),
            "Slot sharing group 'g' declares resources without cpu cores. Say both cpuCores and"
                + " taskHeapMemory, or nothing."),
        refused(
            () -> SlotSharingGroup.newBuilder("g").externalResource("gpu", 1).build(),
            "Slot sharing group 'g' declares resources without cpu cores. Say both cpuCores and"
                + " taskHeapMemory, or nothing."));
  }

  @ParameterizedTest
  @MethodSource({"times", "sizesAndNames"})
  void saysWhatIsAllowedAndWhatWasSaid(ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessage(text);
  }

  // --- programs

  private static void run(Consumer<StreamEnvironment> main) throws Exception {
    run(new RecordingExecutor(), main);
  }

  private static void run(RecordingExecutor executor, Consumer<StreamEnvironment> main)
      throws Exception {
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              main.accept(StreamEnvironment.current());
              return true;
            });
  }

  private static Program programOf(Consumer<StreamEnvironment> main) throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    run(
        executor,
        env -> {
          main.accept(env);
          env.executeAsync("job");
        });
    return executor.programs.get(0);
  }

  static Stream<Consumer<StreamEnvironment>> programsWithASink() {
    return Stream.of(
        env -> env.fromElements(1).print(),
        env -> env.fromElements(1).sinkTo(new DiscardSink<>()),
        env -> env.fromElements(1).collectAs("numbers"),
        env -> env.fromElements(1).cache(),
        env -> env.fromElements(1).union(env.fromElements(2)).filter(n -> n > 1).print());
  }

  @ParameterizedTest
  @MethodSource("programsWithASink")
  void programWithASinkIsComplete(Consumer<StreamEnvironment> main) throws Exception {
    Program program = programOf(main);

    assertThatCode(program::requireSink).doesNotThrowAnyException();
  }

  static Stream<Consumer<StreamEnvironment>> programsWithoutASink() {
    return Stream.of(
        env -> env.fromElements(1),
        env -> env.fromElements(1).map(n -> n + 1),
        env -> env.fromElements(1).rebalance(),
        env -> env.fromElements(1).keyBy(n -> n).count(),
        env ->
            env.fromElements(1)
                .process((ProcessNothing) (n, context, out) -> {})
                .sideOutput(new OutputTag<Integer>("late")));
  }

  /** Fixes the types of a lambda. */
  private interface ProcessNothing extends ProcessFunction<Integer, Integer> {}

  @ParameterizedTest
  @MethodSource("programsWithoutASink")
  void programWithoutASinkIsToldHowToEndAStream(Consumer<StreamEnvironment> main) throws Exception {
    Program program = programOf(main);

    assertThatThrownBy(program::requireSink)
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "Job 'job' has no sink, so its results would go nowhere. End a stream with print(),"
                + " sinkTo(…) or collect() before you call execute; sinkTo(new DiscardSink<>())"
                + " runs it for its side effects alone.");
  }

  /** Writes nothing. */
  private static final class NoSerializer implements Serializer<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void write(Object value, DataOutput out) {}

    @Override
    public Object read(DataInput in) {
      return new Object();
    }
  }

  private enum Colour {
    RED
  }

  private abstract static class Shape {}

  private static final class Circle extends Shape {}

  @ParameterizedTest
  @ValueSource(
      classes = {
        int.class,
        int[].class,
        String[].class,
        Colour.class,
        List.class,
        Shape.class,
        Object.class,
        String.class,
        Boolean.class,
        Byte.class,
        Short.class,
        Character.class,
        Integer.class,
        Long.class,
        Float.class,
        Double.class
      })
  void serializerIsForAClassOfObjects(Class<?> type) throws Exception {
    run(
        env ->
            assertThatThrownBy(() -> env.registerSerializer(type, new NoSerializer()))
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith(
                    "No serializer can be registered for " + type.getTypeName() + ": ")
                .hasMessageEndingWith("Register it for the class of the objects."));
  }

  @Test
  void registeredSerializersAreThoseOfLaterPrograms() throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    NoSerializer first = new NoSerializer();
    NoSerializer second = new NoSerializer();
    run(
        executor,
        env -> {
          env.fromElements(1).print();
          env.executeAsync();
          env.registerSerializer(Circle.class, first).registerSerializer(Circle.class, second);
          env.fromElements(1).print();
          env.executeAsync();
        });

    assertThat(executor.programs.get(0).serializers()).isEmpty();
    assertThat(executor.programs.get(1).serializers())
        .as("the last one counts")
        .containsOnlyKeys(Circle.class)
        .containsValue(second);
  }

  // --- states

  @Test
  void timeToLiveOfAStateChangesNothingElse() {
    ReduceFunction<Integer> sum = Integer::sum;
    StateTtl ttl = StateTtl.afterWrite(Duration.ofMinutes(1));
    List<StateDescriptor> lasting =
        List.of(
            new ValueStateDescriptor<Integer>("value"),
            new ListStateDescriptor<Integer>("list"),
            new MapStateDescriptor<Integer, Integer>("map"),
            new ReducingStateDescriptor<>("sum", sum));
    List<StateDescriptor> expiring =
        List.of(
            new ValueStateDescriptor<Integer>("value").withTtl(ttl),
            new ListStateDescriptor<Integer>("list").withTtl(ttl),
            new MapStateDescriptor<Integer, Integer>("map").withTtl(ttl),
            new ReducingStateDescriptor<>("sum", sum).withTtl(ttl));

    assertThat(lasting).allMatch(state -> !state.ttl().expires());
    assertThat(expiring).allMatch(state -> state.ttl().equals(ttl) && state.ttl().expires());
    assertThat(expiring)
        .extracting(StateDescriptor::name)
        .isEqualTo(lasting.stream().map(StateDescriptor::name).toList());
    assertThat(expiring.get(3))
        .isInstanceOfSatisfying(
            ReducingStateDescriptor.class, state -> assertThat(state.function()).isSameAs(sum));
  }

  // --- sinks

  /** The JobManager gets failures as messages, and does not restart a job for this one. */
  @Test
  void failedCommitIsKnownByItsType() {
    Failure commit =
        Failure.of(
            new CommitFailedException("The table is gone.", new IllegalStateException("x")),
            ErrorKind.BUG);
    Failure other = Failure.of(new IllegalStateException("x"), ErrorKind.BUG);

    assertThat(CommitFailedException.caused(commit)).isTrue();
    assertThat(CommitFailedException.caused(other)).isFalse();
    assertThat(commit.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(commit.message()).isEqualTo("The table is gone.");
    assertThat(new CommitFailedException("No.").kind()).isEqualTo(ErrorKind.EXTERNAL);
  }
}
