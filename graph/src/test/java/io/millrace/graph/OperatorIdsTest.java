package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RichFunction;
import io.millrace.core.Bytes;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What an operator's id depends on: with it state is found again after a change of the program. */
@ResourceLock("bound program context")
class OperatorIdsTest {
  /**
   * The ids of the first release. A change of one of them loses the state of every job that sets no
   * uid.
   */
  @Test
  @Behaviour("A6: operator ids are stable")
  void idsAreTheSameInEveryJvmAndRelease() {
    assertThat(ids(env -> env.fromElements(1).map(n -> n).uid("the-map").print()))
        .containsExactlyEntriesOf(
            ordered(
                "Source: collection", hash("position:Source#1"),
                "map", hash("uid:the-map"),
                "Sink: print", hash("position:Sink<" + hash("uid:the-map") + "#1")));
  }

  private static final class RichIdentity implements MapFunction<Integer, Integer>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(Integer record) {
      return record;
    }
  }

  @Test
  void functionThatBecomesARichOneKeepsTheIdOfItsOperator() {
    assertThat(ids(env -> env.fromElements(1).keyBy(n -> n).map(new RichIdentity())))
        .isEqualTo(ids(env -> env.fromElements(1).keyBy(n -> n).map(n -> n)));
  }

  @Test
  void siblingsOfOneKindAreToldApartByTheirOrder() {
    Map<String, String> both =
        ids(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.map(n -> n).name("first");
              numbers.map(n -> n).name("second");
            });
    Map<String, String> swapped =
        ids(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1);
              numbers.map(n -> n).name("second");
              numbers.map(n -> n).name("first");
            });

    assertThat(both.get("first")).isNotEqualTo(both.get("second"));
    assertThat(swapped.get("second")).isEqualTo(both.get("first"));
  }

  /** With uids the order does not matter: this is what they are for. */
  @Test
  @Behaviour("A6: operator ids are stable")
  void uidsKeepSiblingsApartInAnyOrder() {
    Map<String, String> both =
        ids(
            env -> {
              DataStream<Integer> numbers = env.fromElements(1).uid("s");
              numbers.map(n -> n).name("first").uid("a").print().name("p1");
              numbers.map(n -> n).name("second").uid("b").print().name("p2");
            });
    Map<String, String> swapped =
        ids(
            env -> {
              env.fromElements(9).name("more").uid("more");
              DataStream<Integer> numbers = env.fromElements(1).uid("s");
              numbers.filter(n -> true).name("between");
              numbers.map(n -> n).name("second").uid("b").print().name("p2");
              numbers.map(n -> n).name("first").uid("a").print().name("p1");
            });

    for (String name : both.keySet()) {
      assertThat(swapped.get(name)).as(name).isEqualTo(both.get(name));
    }
  }

  @Test
  void kindOfTheOperatorCountsAndItsFunctionDoesNot() {
    String map = ids(env -> env.fromElements(1).map(n -> n).name("x")).get("x");
    String other = ids(env -> env.fromElements(1).map(n -> n * 3).name("x")).get("x");
    String filter = ids(env -> env.fromElements(1).filter(n -> true).name("x")).get("x");

    assertThat(other).isEqualTo(map);
    assertThat(filter).isNotEqualTo(map);
  }

  /** In programs of their own, because siblings of one kind differ by their order, too. */
  @Test
  void sideOutputsOfOneOperatorAreDifferentInputs() {
    assertThat(
            List.of(
                readerOf(stream -> stream),
                readerOf(stream -> stream.sideOutput(new OutputTag<>("a"))),
                readerOf(stream -> stream.sideOutput(new OutputTag<>("b")))))
        .doesNotHaveDuplicates();
    assertThat(readerOf(stream -> stream.sideOutput(new OutputTag<>("a"))))
        .isEqualTo(readerOf(stream -> stream.sideOutput(new OutputTag<>("a"))));
  }

  private static String readerOf(UnaryOperator<DataStream<Integer>> output) {
    return ids(env ->
            output
                .apply(env.fromElements(1).process((number, context, out) -> out.emit(number)))
                .map(n -> n)
                .name("reader"))
        .get("reader");
  }

  @Test
  void orderOfAUnionsInputsCounts() {
    Map<String, String> ids =
        ids(
            env -> {
              DataStream<Integer> left = env.fromElements(1).uid("left");
              DataStream<Integer> right = env.fromElements(2).uid("right");
              left.union(right).map(n -> n).name("left first");
              right.union(left).map(n -> n).name("right first");
            });

    assertThat(ids.get("left first")).isNotEqualTo(ids.get("right first"));
  }

  @Test
  void settingsRoutesAndModeDoNotCount() {
    Map<String, String> plain =
        ids(env -> env.fromElements(1).keyBy(n -> n).reduce(Integer::sum).name("sum").print());
    Map<String, String> set =
        ids(
            env ->
                env.runtimeMode(RuntimeMode.BATCH)
                    .parallelism(3)
                    .maxParallelism(300)
                    .disableChaining()
                    .fromElements(1)
                    .parallelism(2)
                    .keyBy(n -> n)
                    .reduce(Integer::sum)
                    .name("sum")
                    .maxParallelism(77)
                    .slotSharingGroup("other")
                    .startNewChain()
                    .rebalance()
                    .print());

    assertThat(set).isEqualTo(plain);
  }

  /** A vertex has the id of its head, so that metrics and REST know it across releases. */
  @Test
  void vertexHasTheIdOfTheFirstOperator() {
    JobGraph graph =
        Programs.jobGraph(env -> env.fromElements(1).map(n -> n).uid("m").rebalance().print());

    assertThat(graph.vertices())
        .allSatisfy(
            vertex ->
                assertThat(vertex.id().value()).isEqualTo(vertex.operators().get(0).id().value()));
  }

  @Test
  void idsAreUniqueInALargeProgram() {
    List<String> all = new ArrayList<>();
    Graphs.streamGraph(
            Programs.program(
                env -> {
                  DataStream<Integer> numbers = env.fromElements(1);
                  for (int i = 0; i < 200; i++) {
                    numbers = i % 3 == 0 ? numbers.filter(n -> true) : numbers.map(n -> n);
                    numbers.print();
                    env.fromElements(i);
                  }
                }))
        .nodes()
        .forEach(node -> all.add(node.id().toString()));

    assertThat(all).hasSize(601).doesNotHaveDuplicates();
  }

  private static Map<String, String> ids(Consumer<StreamEnvironment> main) {
    Map<String, String> ids = new LinkedHashMap<>();
    Graphs.streamGraph(Programs.program(main))
        .nodes()
        .forEach(node -> ids.put(node.name(), node.id().toString()));
    return ids;
  }

  private static Map<String, String> ordered(String... namesAndIds) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndIds.length; i += 2) {
      map.put(namesAndIds[i], namesAndIds[i + 1]);
    }
    return map;
  }

  /** The first 128 bits of the SHA-256, in hex. */
  private static String hash(String text) {
    return HexFormat.of().formatHex(Bytes.utf8(text).sha256()).substring(0, 32);
  }
}
