package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.api.DataStream;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.program.Chaining;
import io.millrace.api.source.GeneratorSource;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** When two operators run in one task: each condition alone, and all together in any program. */
@ResourceLock("bound program context")
class ChainingRulesTest {
  static Stream<Arguments> settingsOfTwoOperators() {
    List<Arguments> all = new ArrayList<>();
    for (Chaining producer : Chaining.values()) {
      for (Chaining consumer : Chaining.values()) {
        all.add(
            arguments(
                producer, consumer, producer != Chaining.NEVER && consumer == Chaining.ALWAYS));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("settingsOfTwoOperators")
  @Behaviour("A6: operators are chained where it is safe, and chaining can be switched off")
  void producerAllowsItsOutputsAndConsumerItsInput(
      Chaining producer, Chaining consumer, boolean chained) {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                with(
                        consumer,
                        with(producer, env.generate(n -> n, 1).rebalance().map(n -> n)).map(n -> n))
                    .rebalance()
                    .print());

    // The generator and the sink are apart in any case.
    assertThat(graph.vertices()).hasSize(chained ? 3 : 4);
  }

  private static DataStream<Long> with(Chaining chaining, DataStream<Long> stream) {
    return switch (chaining) {
      case ALWAYS -> stream;
      case HEAD -> stream.startNewChain();
      case NEVER -> stream.disableChaining();
    };
  }

  static Stream<Arguments> waysToAnOperator() {
    return Stream.of(
        arguments("plain", way(stream -> stream), true),
        arguments("forward", way(DataStream::forward), true),
        arguments("forward after rebalance", way(stream -> stream.rebalance().forward()), true),
        arguments("rebalance after forward", way(stream -> stream.forward().rebalance()), false),
        arguments("rebalance", way(DataStream::rebalance), false),
        arguments("rescale", way(DataStream::rescale), false),
        arguments("shuffle", way(DataStream::shuffle), false),
        arguments("global", way(DataStream::global), false),
        arguments("broadcast", way(DataStream::broadcast), false),
        arguments("keyBy", way(stream -> stream.keyBy(n -> n)), false),
        arguments(
            "custom", way(stream -> stream.partitionCustom((key, count) -> 0, n -> n)), false),
        arguments("union of one", way(stream -> stream.union()), true),
        arguments("union with itself", way(stream -> stream.union(stream)), false));
  }

  private static UnaryOperator<DataStream<Long>> way(UnaryOperator<DataStream<Long>> way) {
    return way;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysToAnOperator")
  void onlyForwardEdgesAreChained(
      String name, UnaryOperator<DataStream<Long>> way, boolean chained) {
    JobGraph graph = Programs.jobGraph(env -> way.apply(env.generate(n -> n, 1)).map(n -> n));

    assertThat(graph.vertices()).as(name).hasSize(chained ? 1 : 2);
  }

  @Test
  void parallelismAndSlotSharingGroupMustBeEqual() {
    assertThat(vertices(stream -> stream.map(n -> n).parallelism(2))).isEqualTo(2);
    assertThat(vertices(stream -> stream.map(n -> n).parallelism(1))).isEqualTo(1);
    assertThat(vertices(stream -> stream.map(n -> n).slotSharingGroup("other"))).isEqualTo(2);
    assertThat(vertices(stream -> stream.map(n -> n).slotSharingGroup("default"))).isEqualTo(1);
  }

  @Test
  void optionSwitchesChainingOffForAllOperators() {
    Configuration off = Configuration.EMPTY.with(PipelineOptions.OPERATOR_CHAINING, false);

    JobGraph graph =
        Graphs.jobGraph(
            Programs.program(
                off, env -> env.generate(n -> n, 1).map(n -> n).filter(n -> true).print()),
            Programs.JOB);

    assertThat(graph.vertices()).hasSize(4).allMatch(vertex -> vertex.operators().size() == 1);
    assertThat(graph.edges()).extracting(JobEdge::partitioning).containsOnly(Partitioning.FORWARD);
  }

  /** A vertex gets the numbers of its head, which alone can have keyed state. */
  @Test
  void chainHasTheMaxParallelismOfItsHead() {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                env.generate(n -> n, 1)
                    .keyBy(n -> n)
                    .reduce(Long::sum)
                    .maxParallelism(64)
                    .map(n -> n)
                    .maxParallelism(256));

    assertThat(graph.vertices()).hasSize(2);
    assertThat(graph.vertices().get(1).maxParallelism()).isEqualTo(64);
  }

  private static final class RichIdentity implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public Long map(Long record) {
      return record;
    }
  }

  /** Records reach keyed state by key, so that nothing can be chained in front of it. */
  @Test
  void operatorWithKeyedStateIsTheHeadOfItsChain() {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                env.generate(n -> n, 1)
                    .parallelism(1)
                    .keyBy(n -> n)
                    .map(new RichIdentity())
                    .parallelism(1)
                    .name("with state")
                    .map(n -> n)
                    .parallelism(1));

    assertThat(graph.vertices()).hasSize(2);
    assertThat(graph.vertices().get(1).operators())
        .extracting(ChainedOperator::name)
        .containsExactly("with state", "map");
    assertThat(graph.edges()).extracting(JobEdge::partitioning).containsExactly(Partitioning.HASH);
  }

  /** The rules in words, applied to the StreamGraph of random programs. */
  @Test
  void chainsOfAnyProgramFollowTheRules() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      StreamGraph stream =
          Graphs.streamGraph(Programs.program(env -> randomProgram(env.generate(n -> n), random)));

      JobGraph graph = Graphs.jobGraph(stream, Programs.JOB);

      Map<Object, Object> vertexOf = new HashMap<>();
      graph
          .vertices()
          .forEach(
              vertex ->
                  vertex.operators().forEach(operator -> vertexOf.put(operator.id(), vertex.id())));
      assertThat(vertexOf).as("seed %d", seed).hasSize(stream.nodes().size());
      int crossing = 0;
      for (int node = 0; node < stream.nodes().size(); node++) {
        List<StreamEdge> inputs = stream.inputsOf(node);
        StreamNode consumer = stream.nodes().get(node);
        for (StreamEdge edge : inputs) {
          StreamNode producer = stream.nodes().get(edge.source());
          boolean together = vertexOf.get(producer.id()).equals(vertexOf.get(consumer.id()));
          boolean allowed =
              inputs.size() == 1
                  && edge.partitioning() == Partitioning.FORWARD
                  && producer.slotSharingGroup().equals(consumer.slotSharingGroup())
                  && producer.chaining() != Chaining.NEVER
                  && consumer.chaining() == Chaining.ALWAYS;
          assertThat(together)
              .as("seed %d: %s -> %s", seed, producer.name(), consumer.name())
              .isEqualTo(allowed);
          crossing += together ? 0 : 1;
        }
      }
      assertThat(graph.edges()).as("seed %d", seed).hasSize(crossing);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Partitioning.class,
      names = {"HASH", "CUSTOM"})
  void onlyEdgesWithAFunctionHaveASelector(Partitioning partitioning) {
    JobGraph graph =
        Programs.jobGraph(
            env -> {
              DataStream<Long> numbers = env.generate(n -> n, 1);
              numbers.keyBy(n -> n).map(n -> n);
              numbers.partitionCustom((key, count) -> 0, n -> n).map(n -> n);
              numbers.rebalance().map(n -> n);
              numbers.broadcast().map(n -> n);
            });

    assertThat(graph.edges())
        .filteredOn(edge -> edge.partitioning() == partitioning)
        .singleElement()
        .satisfies(edge -> assertThat(edge.selector().isEmpty()).isFalse());
    assertThat(graph.edges())
        .filteredOn(
            edge ->
                edge.partitioning() == Partitioning.REBALANCE
                    || edge.partitioning() == Partitioning.BROADCAST)
        .hasSize(2)
        .allMatch(edge -> edge.selector().isEmpty());
  }

  private static int vertices(Consumer<DataStream<Long>> rest) {
    return Programs.jobGraph(env -> rest.accept(env.generate(GeneratorSource.of(n -> n))))
        .vertices()
        .size();
  }

  private static void randomProgram(DataStream<Long> source, Random random) {
    List<DataStream<Long>> streams = new ArrayList<>(List.of(source));
    for (int i = 0; i < 14; i++) {
      DataStream<Long> stream = streams.get(random.nextInt(streams.size()));
      DataStream<Long> other = streams.get(random.nextInt(streams.size()));
      streams.add(
          switch (random.nextInt(9)) {
            case 0 -> stream.union(other).map(n -> n);
            case 1 -> stream.rebalance();
            case 2 -> stream.keyBy(n -> n).reduce(Long::sum);
            case 3 -> stream.map(n -> n).parallelism(1 + random.nextInt(2));
            case 4 -> stream.filter(n -> true).startNewChain();
            case 5 -> stream.filter(n -> true).disableChaining();
            case 6 -> stream.map(n -> n).slotSharingGroup("group " + random.nextInt(2));
            default -> stream.map(n -> n);
          });
    }
  }
}
