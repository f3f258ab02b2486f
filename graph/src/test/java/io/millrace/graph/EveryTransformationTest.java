package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Program;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.CollectionSource;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every kind of transformation and routing is translated. */
class EveryTransformationTest {
  private static final Map<Class<? extends Routing>, Partitioning> PARTITIONINGS =
      Map.of(
          Routing.Forward.class, Partitioning.FORWARD,
          Routing.Rebalance.class, Partitioning.REBALANCE,
          Routing.Rescale.class, Partitioning.RESCALE,
          Routing.Shuffle.class, Partitioning.SHUFFLE,
          Routing.Broadcast.class, Partitioning.BROADCAST,
          Routing.Keyed.class, Partitioning.HASH,
          Routing.Custom.class, Partitioning.CUSTOM);

  private static final List<Routing> ROUTINGS =
      List.of(
          new Routing.Forward(),
          new Routing.Rebalance(),
          new Routing.Rescale(),
          new Routing.Shuffle(),
          new Routing.Broadcast(),
          new Routing.Keyed(record -> "key"),
          new Routing.Custom(record -> "key", (key, partitions) -> 0));

  private static Transformation.Operator operator(OperatorSpec spec, Integer... inputs) {
    return new Transformation.Operator("o", spec, List.of(inputs), OperatorSettings.UNSET);
  }

  private static Program program(Routing routing) {
    return new Program(
        "test",
        List.of(
            operator(new OperatorSpec.Source(CollectionSource.of(List.of(1, 2)))),
            new Transformation.SideOutput(0, "late"),
            new Transformation.Union(List.of(0, 1)),
            new Transformation.Route(2, routing),
            operator(new OperatorSpec.Sink(new DiscardSink<>()), 3)),
        Configuration.EMPTY);
  }

  @Test
  void everyPermittedSubclassIsTested() {
    assertThat(ROUTINGS)
        .extracting(Object::getClass)
        .contains(Routing.class.getPermittedSubclasses());
    assertThat(program(new Routing.Forward()).transformations())
        .extracting(Object::getClass)
        .contains(Transformation.class.getPermittedSubclasses());
  }

  @Test
  void unionsAndSideOutputsBecomeEdgesWithTheRoutingBeforeTheConsumer() {
    for (Routing routing : ROUTINGS) {
      StreamGraph graph = Graphs.streamGraph(program(routing));

      assertThat(graph.edges()).extracting(StreamEdge::outputTag).containsExactly("", "late");
      assertThat(graph.edges())
          .extracting(StreamEdge::partitioning)
          .containsOnly(PARTITIONINGS.get(routing.getClass()));
    }
  }

  @Test
  void everyTransformationStaysWhereACachedResultReplacesNothing() {
    Program program = program(new Routing.Rebalance());
    CachedDataSet unrelated =
        new CachedDataSet(
            new DataSetId(new Id128(8, 9)), new JobId(new Id128(1, 1)), 1, List.of("host:1"));

    assertThat(Graphs.reusing(program, List.of(unrelated)).transformations())
        .isEqualTo(program.transformations());
  }
}
