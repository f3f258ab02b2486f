package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a graph refuses, copies and leaves out, and its text for people and for REST. */
class JobGraphValuesTest {
  private static final JobVertex SOURCE = vertex(1, "source", operator("a", -1));
  private static final JobVertex SINK = vertex(2, "sink", operator("b", -1), operator("c", 0));
  private static final JobEdge EDGE =
      new JobEdge(0, SOURCE.id(), 0, SINK.id(), 0, Partitioning.HASH, Bytes.utf8("selector"));
  private static final ResourceProfile LARGE =
      new ResourceProfile(2, 1 << 20, 0, 0, 0, Map.of("gpu", 1L));

  @ParameterizedTest
  @CsvSource({"0, 1", "-1, 1", "2, 1"})
  void parallelismIsPositiveAndAtMostTheMaximum(int parallelism, int maximum) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new JobVertex(
                    SOURCE.id(),
                    "map",
                    parallelism,
                    maximum,
                    "default",
                    List.of(operator("a", -1))))
        .withMessage(
            "Vertex 'map' has parallelism "
                + parallelism
                + " and max parallelism "
                + maximum
                + "; parallelism must be >= 1 and max parallelism >= parallelism.");
  }

  @Test
  void vertexHasOperators() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> vertex(1, "empty"))
        .withMessage("Vertex 'empty' has no operator");
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0", "-1, -1, 1", "-1, 1, 1", "-1, 2, 1"})
  void operatorsReadFromEarlierOnesOfTheirChain(int first, int second, int wrong) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> vertex(1, "chain", operator("a", first), operator("b", second)))
        .withMessage(
            "Operator "
                + wrong
                + " of vertex 'chain' reads from operator "
                + (wrong == 0 ? first : second));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void clientTimeoutIsPositive(long millis) {
    Duration timeout = Duration.ofMillis(millis);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph().withClientTimeout(timeout))
        .withMessage("clientTimeout must be > 0, not " + timeout);
  }

  @Test
  void withersChangeOneThing() {
    JobGraph graph = graph();
    JarFile jar = new JarFile("a.jar", BlobKey.of(Bytes.utf8("jar")));

    JobGraph timed = graph.withClientTimeout(Duration.ofSeconds(5));
    assertThat(timed.clientTimeout()).contains(Duration.ofSeconds(5));
    assertThat(timed.withJars(List.of(jar)).jars()).containsExactly(jar);
    assertThat(timed.withJars(List.of(jar)).clientTimeout()).isEqualTo(timed.clientTimeout());
    assertThat(timed.id()).isEqualTo(graph.id());
    assertThat(timed.name()).isEqualTo(graph.name());
    assertThat(timed.vertices()).isEqualTo(graph.vertices());
    assertThat(timed.edges()).isEqualTo(graph.edges());
    assertThat(timed.configuration()).isEqualTo(graph.configuration());
    assertThat(graph.withSerializers(Bytes.utf8("s")).serializers()).isEqualTo(Bytes.utf8("s"));
    assertThat(graph.withJars(List.of())).isEqualTo(graph);
  }

  @Test
  void graphWithoutFunctionsKeepsWhatPeopleSee() {
    JobGraph graph = graph().withSerializers(Bytes.utf8("serializers"));

    JobGraph shown = graph.withoutFunctions();

    assertThat(shown.serializers().isEmpty()).isTrue();
    assertThat(shown.edges()).allMatch(edge -> edge.selector().isEmpty());
    assertThat(shown.vertices())
        .flatExtracting(JobVertex::operators)
        .allMatch(operator -> operator.spec().isEmpty());
    assertThat(Graphs.json(shown)).isEqualTo(Graphs.json(graph));
    assertThat(shown.vertices().get(1).dataSets()).isEqualTo(SINK.dataSets());
    assertThat(shown.withoutFunctions()).isEqualTo(shown);
  }

  @Test
  void edgesAreFoundByBothEnds() {
    JobGraph graph = graph();

    assertThat(graph.outputsOf(SOURCE.id())).containsExactly(EDGE);
    assertThat(graph.inputsOf(SINK.id())).containsExactly(EDGE);
    assertThat(graph.inputsOf(SOURCE.id())).isEmpty();
    assertThat(graph.outputsOf(SINK.id())).isEmpty();
    assertThat(graph.vertex(SINK.id())).isSameAs(SINK);
    VertexId unknown = new VertexId(new Id128(9, 9));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.vertex(unknown))
        .withMessage("No vertex " + unknown + " in job " + graph.id());
  }

  @Test
  void resourcesAreThoseOfTheSlotSharingGroup() {
    JobGraph graph = graph(Map.of("large", LARGE));
    JobVertex large = new JobVertex(SOURCE.id(), "x", 1, 1, "large", List.of(operator("a", -1)));

    assertThat(graph.resourcesOf(SOURCE)).isEqualTo(ResourceProfile.UNSPECIFIED);
    assertThat(graph.resourcesOf(large)).isEqualTo(LARGE);
  }

  @Test
  void shortConstructorsDeclareNothing() {
    JobGraph graph = graph();

    assertThat(graph.clientTimeout()).isEqualTo(Optional.empty());
    assertThat(graph.resources()).isEmpty();
    assertThat(graph.serializers().isEmpty()).isTrue();
    assertThat(EDGE.outputTag()).isEmpty();
    assertThat(SOURCE.dataSets()).isEmpty();
  }

  @Test
  void listsAreCopied() {
    List<JobVertex> vertices = new ArrayList<>(List.of(SOURCE, SINK));
    JobGraph graph =
        new JobGraph(
            Programs.JOB,
            "job",
            JobType.BATCH,
            vertices,
            List.of(),
            List.of(),
            Configuration.EMPTY);

    vertices.clear();

    assertThat(graph.vertices()).containsExactly(SOURCE, SINK);
  }

  @Test
  void namesOfChainsShowForks() {
    assertThat(ChainDescription.name(List.of(operator("a", -1)))).isEqualTo("a");
    assertThat(ChainDescription.name(List.of(operator("a", -1), operator("b", 0))))
        .isEqualTo("a -> b");
    assertThat(
            ChainDescription.name(
                List.of(
                    operator("a", -1),
                    operator("b", 0),
                    operator("c", 0),
                    operator("d", 1),
                    operator("e", 2),
                    operator("f", 2))))
        .isEqualTo("a -> (b -> d, c -> (e, f))");
  }

  /** A client puts the description into its page as it is. */
  @Test
  void markupInNamesIsEscaped() {
    assertThat(ChainDescription.tree(List.of(operator("<script>&amp;</script>", -1))))
        .isEqualTo("&lt;script&gt;&amp;amp;&lt;/script&gt;<br/>");
  }

  @Test
  void treeIndentsBelowLastAndOtherBranches() {
    assertThat(
            ChainDescription.tree(
                List.of(
                    operator("a", -1),
                    operator("b", 0),
                    operator("c", 1),
                    operator("d", 0),
                    operator("e", 3))))
        .isEqualTo("a<br/>:- b<br/>:  +- c<br/>+- d<br/>   +- e<br/>");
  }

  @Test
  void jsonEscapesWhatItMustAndKeepsTheRest() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("quote\"", "back\\slash");
    tree.put("lines", "a\nb\rc\td");
    tree.put("control", "\u0000\u001f");
    tree.put("other", "\u00e9\u2028\ud83d\ude00/");
    tree.put("numbers", List.of(1, -2L, 0.5, true));
    tree.put("empty", List.of(List.of(), Map.of()));

    assertThat(Graphs.json(tree))
        .isEqualTo(
            "{\"quote\\\"\":\"back\\\\slash\",\"lines\":\"a\\nb\\rc\\td\","
                + "\"control\":\"\\u0000\\u001f\",\"other\":\"\u00e9\u2028\ud83d\ude00/\","
                + "\"numbers\":[1,-2,0.5,true],\"empty\":[[],{}]}");
  }

  @Test
  void planShowsDeclaredResources() {
    JobVertex large = new JobVertex(SOURCE.id(), "x", 3, 128, "large", List.of(operator("a", -1)));
    JobGraph graph =
        new JobGraph(
                Programs.JOB,
                "job",
                JobType.BATCH,
                List.of(large),
                List.of(),
                List.of(),
                Configuration.EMPTY)
            .withResources(Map.of("large", LARGE));

    assertThat(Graphs.json(graph))
        .isEqualTo(
            """
            {"jid":"00000000000000010000000000000002","name":"job","type":"BATCH","nodes":[\
            {"id":"%s","operator":"","parallelism":3,"operator_strategy":"",\
            "description":"a<br/>","optimizer_properties":{},"slot_sharing_group":"large",\
            "resources":{"cpuCores":2.0,"taskHeapMemory":1048576,"taskOffHeapMemory":0,\
            "managedMemory":0,"extendedResources":{"gpu":1}}}]}"""
                .formatted(SOURCE.id()));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 128",
    "85, 128",
    "86, 256",
    "170, 256",
    "171, 256",
    "172, 512",
    "20000, 32768",
    "32768, 32768",
  })
  void maxParallelismLeavesRoomToGrow(int parallelism, int maximum) {
    assertThat(MaxParallelism.derivedFrom(parallelism)).isEqualTo(maximum);
  }

  /** Rescaling moves whole key groups, so that each keeps one owner. */
  @Test
  void everyKeyGroupHasOneOwnerAtEachParallelism() {
    for (int maximum : new int[] {1, 7, 128, 1000}) {
      for (int parallelism = 1; parallelism <= Math.min(maximum, 40); parallelism++) {
        int before = 0;
        for (int group = 0; group < maximum; group++) {
          int owner = KeyGroups.subtaskOf(group, maximum, parallelism);
          assertThat(owner)
              .as("group %d of %d at %d", group, maximum, parallelism)
              .isBetween(before, Math.min(before + 1, parallelism - 1));
          before = owner;
        }
        assertThat(before).isEqualTo(parallelism - 1);
      }
    }
  }

  private static JobGraph graph() {
    return graph(Map.of());
  }

  private static JobGraph graph(Map<String, ResourceProfile> resources) {
    return new JobGraph(
            Programs.JOB,
            "job",
            JobType.STREAMING,
            List.of(SOURCE, SINK),
            List.of(EDGE),
            List.of(),
            Configuration.EMPTY)
        .withResources(resources);
  }

  private static ChainedOperator operator(String name, int input) {
    return new ChainedOperator(
        new OperatorId(new Id128(3, name.hashCode())), name, input, "", Bytes.utf8("spec"));
  }

  private static JobVertex vertex(int number, String name, ChainedOperator... operators) {
    return new JobVertex(
        new VertexId(new Id128(0, number)),
        name,
        1,
        128,
        "default",
        List.of(operators),
        number == 2 ? List.of(new DataSetId(new Id128(5, 5))) : List.of());
  }
}
