package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.process.OutputTag;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.OperatorId;
import io.millrace.core.testing.Behaviour;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class StreamGraphTest {
  @Test
  void edgesOfConnectedStreamsNameTheInputOfTheirStream() {
    StreamGraph graph =
        Graphs.streamGraph(
            Programs.program(
                env -> {
                  DataStream<Integer> numbers = env.fromElements(1, 2);
                  DataStream<Integer> others = env.fromElements(3);
                  numbers
                      .union(others)
                      .connect(numbers.broadcast())
                      .map(number -> number, number -> -number)
                      .print();
                }));

    List<StreamEdge> inputs = graph.inputsOf(2);
    assertThat(inputs).extracting(StreamEdge::source).containsExactly(0, 1, 0);
    assertThat(inputs).extracting(StreamEdge::targetInput).containsExactly(0, 0, 1);
    assertThat(inputs.get(2).partitioning()).isEqualTo(Partitioning.BROADCAST);
    assertThat(graph.nodes().get(3).name()).startsWith("Sink");
    assertThat(Graphs.jobGraph(graph, Programs.JOB).edges())
        .extracting(JobEdge::targetInput)
        .containsExactly(0, 0, 1);
  }

  @Test
  void operatorsWhoseInputsAreExchangedHaveOtherIds() {
    assertThat(connected(true)).isNotEqualTo(connected(false)).isEqualTo(connected(true));
  }

  private static OperatorId connected(boolean inOrder) {
    StreamGraph graph =
        Graphs.streamGraph(
            Programs.program(
                env -> {
                  DataStream<Integer> first = env.fromElements(1).uid("first");
                  DataStream<Integer> second = env.fromElements(2).uid("second");
                  (inOrder
                          ? first.connect(second.union(first))
                          : first.union(second).connect(first))
                      .map(number -> number, number -> number)
                      .print();
                }));
    return graph.nodes().get(2).id();
  }

  @Test
  @Behaviour("A6: union, side output and partitioning are properties of edges")
  void unionsAndRoutesAreEdgesNotNodes() {
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> left = env.fromElements(1);
              DataStream<Integer> right = env.fromElements(2).rebalance();
              left.union(right).map(number -> number).keyBy(number -> number).count().print();
            });
    assertThat(names(graph))
        .containsExactly("Source: collection", "Source: collection", "map", "count", "Sink: print");
    assertThat(edges(graph))
        .containsExactly(
            Tuple.tuple(0, 2, Partitioning.FORWARD),
            Tuple.tuple(1, 2, Partitioning.REBALANCE),
            Tuple.tuple(2, 3, Partitioning.HASH),
            Tuple.tuple(3, 4, Partitioning.FORWARD));
    assertThat(graph.edges().get(2).selector()).isPresent();
  }

  @Test
  @Behaviour("A6: union, side output and partitioning are properties of edges")
  void aSideOutputIsAnEdgeWithItsTagNotANode() {
    OutputTag<Integer> odd = new OutputTag<>("odd");
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> even =
                  env.fromElements(1, 2).process((number, context, out) -> out.emit(number));
              even.print();
              even.sideOutput(odd).keyBy(number -> number).count().print();
            });
    assertThat(names(graph))
        .containsExactly("Source: collection", "process", "Sink: print", "count", "Sink: print");
    assertThat(graph.edges())
        .extracting(StreamEdge::source, StreamEdge::target, StreamEdge::outputTag)
        .containsExactly(
            Tuple.tuple(0, 1, ""),
            Tuple.tuple(1, 2, ""),
            Tuple.tuple(1, 3, "odd"),
            Tuple.tuple(3, 4, ""));
    assertThat(graph.edges().get(2).partitioning()).isEqualTo(Partitioning.HASH);
  }

  @Test
  void aStreamUnitedWithItselfArrivesTwice() {
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.union(numbers).print();
            });
    assertThat(edges(graph))
        .containsExactly(
            Tuple.tuple(0, 1, Partitioning.FORWARD), Tuple.tuple(0, 1, Partitioning.FORWARD));
  }

  @Test
  void theRoutingNextToTheConsumerCounts() {
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1).rescale().broadcast();
              numbers.print();
              numbers.union(env.fromElements(2)).keyBy(number -> number).rebalance().print();
            });
    assertThat(edges(graph))
        .containsExactly(
            Tuple.tuple(0, 1, Partitioning.BROADCAST),
            Tuple.tuple(0, 3, Partitioning.REBALANCE),
            Tuple.tuple(2, 3, Partitioning.REBALANCE));
  }

  @Test
  @Behaviour("H2: each routing has its partitioning: forward, hash, rebalance, rescale, broadcast")
  void everyRoutingHasItsPartitioning() {
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.forward().print();
              numbers.rebalance().print();
              numbers.rescale().print();
              numbers.broadcast().print();
              numbers.keyBy(number -> number).print();
              numbers
                  .<Integer>partitionCustom((key, partitions) -> key % partitions, number -> number)
                  .print();
            });
    assertThat(graph.edges())
        .extracting(StreamEdge::partitioning)
        .containsExactly(
            Partitioning.FORWARD,
            Partitioning.REBALANCE,
            Partitioning.RESCALE,
            Partitioning.BROADCAST,
            Partitioning.HASH,
            Partitioning.CUSTOM);
    assertThat(graph.edges().get(5).selector().orElseThrow())
        .isInstanceOf(CustomPartitioning.class);
  }

  @Test
  void withoutARouteUnequalParallelismIsRebalanced() {
    StreamGraph graph =
        graph(
            env ->
                env.fromElements(1)
                    .parallelism(2)
                    .map(number -> number)
                    .parallelism(3)
                    .filter(number -> true)
                    .parallelism(3)
                    .print()
                    .parallelism(1));
    assertThat(graph.edges())
        .extracting(StreamEdge::partitioning)
        .containsExactly(Partitioning.REBALANCE, Partitioning.FORWARD, Partitioning.REBALANCE);
  }

  @Test
  void forwardBetweenUnequalParallelismIsAnError() {
    assertThatThrownBy(
            () ->
                graph(
                    env ->
                        env.fromElements(1)
                            .parallelism(2)
                            .forward()
                            .map(number -> number)
                            .parallelism(3)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("'Source: collection' (parallelism 2)")
        .hasMessageContaining("'map' (parallelism 3)");
  }

  @Test
  @Behaviour("A6: parallelism comes from the operator, then the program, then the run")
  void parallelismComesFromTheOperatorThenTheProgramThenTheRun() {
    Configuration run = Configuration.EMPTY.with(CoreOptions.DEFAULT_PARALLELISM, 8);
    Consumer<StreamEnvironment> plain =
        env -> env.fromElements(1).map(number -> number).parallelism(2).print();
    assertThat(parallelism(Graphs.streamGraph(Programs.program(run, plain))))
        .containsExactly(8, 2, 8);
    assertThat(
            parallelism(
                Graphs.streamGraph(Programs.program(run, env -> plain.accept(env.parallelism(4))))))
        .containsExactly(4, 2, 4);
  }

  @Test
  void anIndivisibleSourceIsCappedUnlessTheProgramInsists() {
    StreamGraph graph = graph(env -> env.parallelism(4).socketText("localhost", 9).print());
    assertThat(parallelism(graph)).containsExactly(1, 4);
    assertThat(graph.edges().get(0).partitioning()).isEqualTo(Partitioning.REBALANCE);
    assertThatThrownBy(() -> graph(env -> env.socketText("localhost", 9).parallelism(2).print()))
        .hasMessageContaining("'Source: socket'")
        .hasMessageContaining("at most 1");
  }

  @Test
  @Behaviour("A6: parallelism comes from the operator, then the program, then the run")
  void maxParallelismIsDerivedWithRoomToGrow() {
    assertThat(MaxParallelism.derivedFrom(1)).isEqualTo(128);
    assertThat(MaxParallelism.derivedFrom(85)).isEqualTo(128);
    assertThat(MaxParallelism.derivedFrom(86)).isEqualTo(256);
    assertThat(MaxParallelism.derivedFrom(1000)).isEqualTo(2048);
    assertThat(MaxParallelism.derivedFrom(30_000)).isEqualTo(32_768);
    StreamGraph graph =
        graph(
            env -> env.maxParallelism(64).fromElements(1).map(number -> number).maxParallelism(8));
    assertThat(graph.nodes()).extracting(StreamNode::maxParallelism).containsExactly(64, 8);
  }

  @Test
  void moreParallelismThanMaxParallelismIsAnError() {
    assertThatThrownBy(() -> graph(env -> env.fromElements(1).parallelism(9).maxParallelism(8)))
        .hasMessageContaining("parallelism 9")
        .hasMessageContaining("max parallelism 8");
    Configuration run = Configuration.EMPTY.with(CoreOptions.DEFAULT_PARALLELISM, -3);
    assertThatThrownBy(() -> Graphs.streamGraph(Programs.program(run, env -> env.fromElements(1))))
        .hasMessageContaining("-3");
  }

  @Test
  void slotSharingGroupsAreInheritedWhereInputsAgree() {
    StreamGraph graph =
        graph(
            env -> {
              DataStream<Integer> green = env.fromElements(1).slotSharingGroup("green");
              DataStream<Integer> blue = green.map(n -> n).slotSharingGroup("blue");
              green.filter(n -> true);
              green.union(blue).map(n -> n);
            });
    assertThat(graph.nodes())
        .extracting(StreamNode::slotSharingGroup)
        .containsExactly("green", "blue", "green", "default");
  }

  @Test
  @Behaviour("A6: operator ids are stable")
  void idsAreTheSameForTheSameProgram() {
    assertThat(ids(graph(StreamGraphTest::wordCount)))
        .isEqualTo(ids(graph(StreamGraphTest::wordCount)))
        .doesNotHaveDuplicates();
    // Fixed: state of running jobs is found by these across JVMs and releases.
    assertThat(ids(graph(StreamGraphTest::wordCount)))
        .extracting(OperatorId::toString)
        .containsExactly(
            "3171df543e0a23b01538b13e5b76dab9",
            "691966acd4482120440c5a3773b178a8",
            "9b130061afc23998f67dddcbcf1984d9",
            "5a20176b309c51f51e7c863917a84d2d",
            "75ad99ba715a44c666a78a766071afd7");
  }

  @Test
  @Behaviour("A6: operator ids are stable")
  void idsDoNotDependOnNamesParallelismOrOtherBranches() {
    List<OperatorId> plain = ids(graph(StreamGraphTest::wordCount));
    StreamGraph changed =
        graph(
            env ->
                env.readText("elsewhere")
                    .name("lines")
                    .<String>flatMap((line, out) -> out.emit(line))
                    .parallelism(7)
                    .keyBy(word -> word)
                    .count()
                    .name("tally")
                    .print()
                    .slotSharingGroup("green"));
    assertThat(ids(changed)).isEqualTo(plain);
    StreamGraph appended =
        graph(
            env -> {
              wordCount(env);
              env.fromElements(1).map(number -> number).print();
            });
    assertThat(ids(appended).subList(0, 5)).isEqualTo(plain);
    assertThat(ids(appended)).hasSize(8).doesNotHaveDuplicates();
  }

  @Test
  @Behaviour("A6: operator ids are stable")
  void aUidKeepsTheIdWhereverTheOperatorStands() {
    OperatorId here = graph(env -> env.fromElements(1).map(n -> n).uid("m")).nodes().get(1).id();
    OperatorId there =
        graph(env -> env.fromElements(1).filter(n -> true).rebalance().map(n -> n).uid("m"))
            .nodes()
            .get(2)
            .id();
    assertThat(here).isEqualTo(there);
  }

  @Test
  void aUidGivenTwiceIsAnError() {
    assertThatThrownBy(
            () -> graph(env -> env.fromElements(1).uid("x").map(n -> n).name("other").uid("x")))
        .hasMessageContaining("'x'")
        .hasMessageContaining("'Source: collection'")
        .hasMessageContaining("'other'");
  }

  @Test
  void theTypeFollowsTheRuntimeMode() {
    assertThat(graph(env -> env.fromElements(1)).type()).isEqualTo(JobType.STREAMING);
    assertThat(graph(env -> env.runtimeMode(RuntimeMode.BATCH).fromElements(1)).type())
        .isEqualTo(JobType.BATCH);
  }

  private static void wordCount(StreamEnvironment env) {
    env.readText("in")
        .<String>flatMap((line, out) -> out.emit(line))
        .keyBy(word -> word)
        .count()
        .print();
  }

  private static StreamGraph graph(Consumer<StreamEnvironment> main) {
    return Graphs.streamGraph(Programs.program(main));
  }

  private static List<String> names(StreamGraph graph) {
    return graph.nodes().stream().map(StreamNode::name).toList();
  }

  private static List<Integer> parallelism(StreamGraph graph) {
    return graph.nodes().stream().map(StreamNode::parallelism).toList();
  }

  private static List<OperatorId> ids(StreamGraph graph) {
    return graph.nodes().stream().map(StreamNode::id).toList();
  }

  private static List<Tuple> edges(StreamGraph graph) {
    return graph.edges().stream()
        .map(edge -> Tuple.tuple(edge.source(), edge.target(), edge.partitioning()))
        .toList();
  }
}
