package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.CachedStream;
import io.millrace.api.DataStream;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Program;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Results of earlier jobs in graphs of later ones. */
@ResourceLock("bound program context")
class CachedResultRewriterTest {
  private static final JobId PRODUCER = new JobId(new Id128(3, 3));

  @Test
  void cacheIsAnOperatorBehindItsProducerAndAsParallel() {
    Program program =
        Programs.program(
            env -> {
              env.parallelism(2);
              env.generate(index -> index, 10).parallelism(3).cache().rebalance().print();
            });
    JobGraph graph = Graphs.jobGraph(program, PRODUCER);
    assertThat(graph.vertices()).hasSize(2);
    JobVertex producer = graph.vertices().get(0);
    assertThat(producer.name()).isEqualTo("Source: generator -> cache");
    assertThat(producer.parallelism()).isEqualTo(3);
    assertThat(producer.dataSets()).isEqualTo(program.dataSets()).hasSize(1);
    assertThat(graph.vertices().get(1).dataSets()).isEmpty();
  }

  @Test
  @Behaviour(
      "H2: later jobs read a cached result at any parallelism, and its sources do not run again")
  void knownResultReplacesEverythingThatOnlyItWasComputedFrom() {
    Program program =
        Programs.program(
            env -> {
              env.parallelism(2);
              DataStream<Integer> shared = env.fromElements(1, 2).name("shared");
              DataStream<Integer> own = env.fromElements(3).name("own").map(x -> x);
              CachedStream<Integer> cached = shared.union(own.rebalance()).cache();
              cached.keyBy(x -> x).count().print();
              shared.map(x -> x + 1).name("elsewhere").print();
            });
    DataSetId id = program.dataSets().get(0);
    CachedDataSet known = new CachedDataSet(id, PRODUCER, 7, List.of("a:1", "b:2", "a:1"));
    StreamGraph graph = Graphs.streamGraph(Graphs.reusing(program, List.of(known)));

    assertThat(graph.nodes())
        .extracting(StreamNode::name)
        .containsExactly(
            "Source: shared", "Source: cache", "count", "Sink: print", "elsewhere", "Sink: print");
    StreamNode reader = graph.nodes().get(1);
    assertThat(reader.spec())
        .isEqualTo(
            new OperatorSpec.ReadCached(
                id.toString(), PRODUCER.toString(), 7, List.of("a:1", "b:2", "a:1")));
    assertThat(reader.parallelism()).as("a reader for each partition").isEqualTo(3);
    assertThat(graph.inputsOf(1)).isEmpty();
    assertThat(graph.inputsOf(2)).extracting(StreamEdge::source).containsExactly(1);
    assertThat(graph.inputsOf(4)).extracting(StreamEdge::source).containsExactly(0);
    assertThat(Graphs.reusing(program, List.of())).isSameAs(program);
  }

  @Test
  void readersAreAsManyAsTheProgramSays() {
    Program program = Programs.program(env -> env.fromElements(1).cache().parallelism(5).print());
    CachedDataSet known =
        new CachedDataSet(program.dataSets().get(0), PRODUCER, 7, List.of("a:1", "b:2"));
    StreamGraph graph = Graphs.streamGraph(Graphs.reusing(program, List.of(known)));
    assertThat(graph.nodes().get(0).parallelism()).isEqualTo(5);
  }

  @Test
  void refusesToCacheWhatNeverEnds() {
    Program program =
        Programs.program(
            env ->
                env.fromElements(1L)
                    .union(env.generate(index -> index))
                    .map(x -> x)
                    .cache()
                    .print());
    assertThatThrownBy(() -> Graphs.streamGraph(program))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("source 'generator' is unbounded")
        .hasMessageContaining("Bound the source");
  }
}
