package io.millrace.graph;

import static io.millrace.graph.Programs.jobGraph;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.process.OutputTag;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class JobGraphTest {
  @Test
  @Behaviour("A6: operators are chained where it is safe, and chaining can be switched off")
  void aWordCountIsAnEnumeratorAndTwoVerticesWithAHashEdge() throws Exception {
    JobGraph graph =
        jobGraph(
            env ->
                env.readText("in")
                    .<String>flatMap((line, out) -> out.emit(line))
                    .keyBy(word -> word)
                    .count()
                    .print());
    assertThat(names(graph))
        .containsExactly("Enumerator: text", "Source: text -> flatMap", "count -> Sink: print");
    assertThat(graph.edges()).hasSize(2);
    JobEdge edge = graph.edges().get(1);
    assertThat(edge.partitioning()).isEqualTo(Partitioning.HASH);
    assertThat(edge.source()).isEqualTo(graph.vertices().get(1).id());
    assertThat(edge.sourceOperator()).isEqualTo(1);
    assertThat(edge.target()).isEqualTo(graph.vertices().get(2).id());
    assertThat(opened(edge.selector())).isInstanceOf(KeySelector.class);
    JobVertex first = graph.vertices().get(1);
    assertThat(first.id().value()).isEqualTo(first.operators().get(0).id().value());
    assertThat(opened(first.operators().get(0).spec())).isInstanceOf(OperatorSpec.Source.class);
    assertThat(opened(first.operators().get(1).spec())).isInstanceOf(OperatorSpec.FlatMap.class);
    assertThat(first.maxParallelism()).isEqualTo(128);
    assertThat(first.slotSharingGroup()).isEqualTo("default");
  }

  @Test
  @Behaviour("H1: the splits of a source are found in a task of parallelism 1 and assigned")
  void anEnumeratorIsATaskBeforeTheReaders() throws Exception {
    JobGraph graph =
        jobGraph(
            env -> {
              env.parallelism(3);
              env.readText("in").slotSharingGroup("green").uid("lines").print();
            });
    JobVertex enumerator = graph.vertices().get(0);
    assertThat(enumerator.parallelism()).isEqualTo(1);
    assertThat(enumerator.slotSharingGroup()).isEqualTo("green");
    assertThat(opened(enumerator.operators().get(0).spec()))
        .isInstanceOf(OperatorSpec.Enumerate.class);
    JobVertex readers = graph.vertices().get(1);
    assertThat(readers.parallelism()).isEqualTo(3);
    JobEdge edge = graph.edges().get(0);
    assertThat(edge.source()).isEqualTo(enumerator.id());
    assertThat(edge.target()).isEqualTo(readers.id());
    CustomPartitioning routing = (CustomPartitioning) opened(edge.selector());
    for (int reader = 0; reader < 3; reader++) {
      Object key = routing.key().key(new SplitAssignment(reader, List.of("split")));
      assertThat(routing.partitioner().partition(key, 3)).isEqualTo(reader);
    }
  }

  @Test
  void secretsOfTheClientStayWithIt() {
    Configuration configuration =
        Configuration.EMPTY
            .with("security.ssl.rest.keystore-password", "kept-back")
            .with("security.rest.token-file", "/home/me/token")
            .with("s3.access-key", "kept-back")
            .with("env.java.opts.all", "-Xmx1g -Ddb.password=kept-back")
            .with("restart-strategy.type", "none");
    JobGraph graph =
        Graphs.jobGraph(
            Programs.program(configuration, env -> env.fromElements(1).print()), Programs.JOB);
    assertThat(graph.configuration().entries()).containsOnlyKeys("restart-strategy.type");
  }

  @Test
  void aForkIsChainedAsATree() {
    JobGraph graph =
        jobGraph(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1).map(n -> n).name("a");
              numbers.filter(n -> true).name("b").print().name("x");
              numbers.print().name("y");
            });
    assertThat(names(graph)).containsExactly("Source: collection -> a -> (b -> Sink: x, Sink: y)");
    assertThat(graph.vertices().get(0).operators())
        .extracting(ChainedOperator::input)
        .containsExactly(-1, 0, 1, 2, 1);
    assertThat(graph.edges()).isEmpty();
  }

  @Test
  void whatReadsASideOutputIsChainedAndKnowsWhichOne() {
    OutputTag<Integer> odd = new OutputTag<>("odd");
    JobGraph graph =
        Programs.jobGraph(
            env -> {
              DataStream<Integer> even =
                  env.fromElements(1, 2).process((number, context, out) -> out.emit(number));
              even.print();
              even.sideOutput(odd).print();
              even.sideOutput(odd).rebalance().map(number -> number).parallelism(2).print();
            });
    assertThat(graph.vertices().get(0).operators())
        .extracting(ChainedOperator::input, ChainedOperator::inputTag)
        .containsExactly(tuple(-1, ""), tuple(0, ""), tuple(1, ""), tuple(1, "odd"));
    assertThat(graph.edges().get(0).outputTag()).isEqualTo("odd");
    assertThat(graph.edges().get(0).sourceOperator()).isEqualTo(1);
  }

  @Test
  void aUnionIsNotChainedAndMayReadTwoOperatorsOfOneVertex() {
    JobGraph graph =
        jobGraph(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              DataStream<Integer> left = numbers.map(n -> n).name("left");
              DataStream<Integer> right = numbers.map(n -> n).name("right");
              left.union(right).print();
            });
    assertThat(names(graph)).containsExactly("Source: collection -> (left, right)", "Sink: print");
    assertThat(graph.edges()).extracting(JobEdge::sourceOperator).containsExactly(1, 2);
    assertThat(graph.edges()).extracting(JobEdge::targetInput).containsExactly(0, 0);
    assertThat(graph.edges()).extracting(JobEdge::id).containsExactly(0, 1);
  }

  @Test
  @Behaviour("A6: operators are chained where it is safe, and chaining can be switched off")
  void whatIsNotSafeIsNotChained() {
    assertThat(chains(env -> env.fromElements(1).rebalance().print())).isEqualTo(2);
    assertThat(chains(env -> env.fromElements(1).broadcast().print())).isEqualTo(2);
    assertThat(chains(env -> env.fromElements(1).keyBy(n -> n).print())).isEqualTo(2);
    assertThat(chains(env -> env.fromElements(1).parallelism(2).print())).isEqualTo(2);
    assertThat(chains(env -> env.fromElements(1).print().slotSharingGroup("other"))).isEqualTo(2);
    assertThat(chains(env -> env.fromElements(1).forward().print())).isEqualTo(1);
  }

  @Test
  @Behaviour("A6: operators are chained where it is safe, and chaining can be switched off")
  void chainingCanBeSwitchedOff() {
    assertThat(names(jobGraph(env -> three(env.disableChaining()))))
        .containsExactly("Source: collection", "map", "filter", "Sink: print");
    assertThat(
            names(
                jobGraph(
                    env ->
                        env.fromElements(1)
                            .map(n -> n)
                            .disableChaining()
                            .filter(n -> true)
                            .print())))
        .containsExactly("Source: collection", "map", "filter -> Sink: print");
    assertThat(
            names(
                jobGraph(
                    env ->
                        env.fromElements(1).map(n -> n).startNewChain().filter(n -> true).print())))
        .containsExactly("Source: collection", "map -> filter -> Sink: print");
  }

  @Test
  @Behaviour("A6: operator ids are stable")
  void chainingChangesNoOperatorId() {
    List<?> chained =
        jobGraph(JobGraphTest::three).vertices().stream()
            .flatMap(vertex -> vertex.operators().stream())
            .map(ChainedOperator::id)
            .toList();
    List<?> apart =
        jobGraph(env -> three(env.disableChaining())).vertices().stream()
            .flatMap(vertex -> vertex.operators().stream())
            .map(ChainedOperator::id)
            .toList();
    assertThat(apart).isEqualTo(chained);
  }

  @Test
  void verticesStandInTopologicalOrderWithEveryOperatorOnce() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      JobGraph graph = jobGraph(env -> randomProgram(env, random));
      List<?> ids = graph.vertices().stream().map(JobVertex::id).toList();
      assertThat(ids).as("seed %d", seed).doesNotHaveDuplicates();
      assertThat(
              graph.vertices().stream()
                  .flatMap(vertex -> vertex.operators().stream())
                  .map(ChainedOperator::id))
          .as("seed %d", seed)
          .doesNotHaveDuplicates();
      for (int i = 0; i < graph.edges().size(); i++) {
        JobEdge edge = graph.edges().get(i);
        assertThat(edge.id()).isEqualTo(i);
        assertThat(ids.indexOf(edge.source()))
            .as("seed %d, edge %s", seed, edge)
            .isNotNegative()
            .isLessThan(ids.indexOf(edge.target()));
        assertThat(edge.sourceOperator())
            .isLessThan(graph.vertex(edge.source()).operators().size());
        if (edge.partitioning() == Partitioning.FORWARD) {
          assertThat(graph.vertex(edge.source()).parallelism())
              .isEqualTo(graph.vertex(edge.target()).parallelism());
        }
      }
      for (JobVertex vertex : graph.vertices()) {
        boolean source = vertex.name().startsWith("Source: ");
        assertThat(graph.inputsOf(vertex.id()).isEmpty()).isEqualTo(source);
      }
    }
  }

  @Test
  void theSameProgramGivesTheSameGraph() {
    assertThat(jobGraph(JobGraphTest::three)).isEqualTo(jobGraph(JobGraphTest::three));
  }

  @Test
  void aCapturedObjectThatCannotTravelIsNamedWithItsPath() {
    Thread thread = Thread.currentThread();
    assertThatThrownBy(
            () -> jobGraph(env -> env.fromElements(1).map(n -> n + thread.getPriority())))
        .hasMessageContaining("Operator 'map'")
        .hasMessageContaining(
            "variable 1 captured by the lambda in " + JobGraphTest.class.getName())
        .hasMessageContaining("is a java.lang.Thread");
  }

  @Test
  void aFieldThatCannotTravelIsNamedWithItsPath() {
    assertThatThrownBy(
            () -> jobGraph(env -> env.fromElements(1).map(new Outer(new Inner())).name("bad")))
        .hasMessageContaining("Operator 'bad'")
        .hasMessageContaining("function.inner.list[…].handle is a java.lang.Object");
  }

  @Test
  void theEnclosingInstanceIsCalledThat() {
    MapFunction<Integer, Integer> anonymous =
        new MapFunction<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public Integer map(Integer number) {
            return number + hashOfThisTest();
          }
        };
    assertThatThrownBy(() -> jobGraph(env -> env.fromElements(1).map(anonymous)))
        .hasMessageContaining("the enclosing instance")
        .hasMessageContaining("is a " + JobGraphTest.class.getName());
  }

  @Test
  void aKeySelectorThatCannotTravelNamesTheOperatorBehindIt() {
    Object lock = new Object();
    assertThatThrownBy(
            () -> jobGraph(env -> env.fromElements(1).keyBy(n -> lock.equals(n)).print()))
        .hasMessageContaining("Operator 'Sink: print'")
        .hasMessageContaining("is a java.lang.Object");
  }

  private int hashOfThisTest() {
    return hashCode();
  }

  private static void three(StreamEnvironment env) {
    env.fromElements(1).map(n -> n).filter(n -> true).print();
  }

  private static int chains(Consumer<StreamEnvironment> main) {
    return jobGraph(main).vertices().size();
  }

  private static void randomProgram(StreamEnvironment env, Random random) {
    List<DataStream<Integer>> streams = new ArrayList<>();
    streams.add(env.fromElements(1));
    for (int i = 0; i < 15; i++) {
      DataStream<Integer> stream = streams.get(random.nextInt(streams.size()));
      switch (random.nextInt(8)) {
        case 0 -> streams.add(env.fromElements(i));
        case 1 -> streams.add(stream.union(streams.get(random.nextInt(streams.size()))));
        case 2 -> streams.add(stream.rebalance());
        case 3 -> streams.add(stream.keyBy(n -> n).reduce((left, right) -> left));
        case 4 -> stream.print();
        case 5 -> streams.add(stream.map(n -> n).parallelism(1 + random.nextInt(3)));
        case 6 -> streams.add(stream.filter(n -> true).startNewChain());
        default -> streams.add(stream.map(n -> n));
      }
    }
  }

  private static List<String> names(JobGraph graph) {
    return graph.vertices().stream().map(JobVertex::name).toList();
  }

  private static Object opened(Bytes bytes) throws Exception {
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.unsafeArray()))) {
      return in.readObject();
    }
  }

  private record Outer(Inner inner) implements MapFunction<Integer, Integer> {
    @Override
    public Integer map(Integer number) {
      return number;
    }
  }

  private static final class Inner implements Serializable {
    private static final long serialVersionUID = 1L;
    private final ArrayList<Holder> list = new ArrayList<>(List.of(new Holder()));

    @Override
    public String toString() {
      return list.toString();
    }
  }

  private static final class Holder implements Serializable {
    private static final long serialVersionUID = 1L;
    private final transient Object fine = new Object();
    private final Object handle = new Object();

    @Override
    public String toString() {
      return fine + " " + handle;
    }
  }
}
