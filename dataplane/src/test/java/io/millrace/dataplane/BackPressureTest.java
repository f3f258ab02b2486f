package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.io.Serializable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackPressureTest {
  private static final int BOUND = 40_000;

  private static DataPlane host(boolean remote) {
    return new DataPlane(
        remote
            ? DataPlaneSettings.listening(2, DataPort.loopback(0, Bytes.utf8("pressure")))
            : DataPlaneSettings.inProcess(2));
  }

  private static TaskCounters counters(DataPlane host, JobGraph graph, ExecutionId execution) {
    return host.counters(graph.id()).stream()
        .filter(counters -> counters.execution().equals(execution))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Behaviour("H2: a slow consumer holds its producers back")
  void aStuckConsumerHoldsItsProducersBackAndThenAllGoesOn(boolean remote) {
    try (DataPlane first = host(remote);
        DataPlane second = remote ? host(true) : first) {
      AtomicLong emitted = new AtomicLong();
      CountDownLatch gate = new CountDownLatch(1);
      String emittedName = Fixtures.share(emitted);
      String gateName = Fixtures.share(gate);
      long records = 2_000_000;
      TestJobGraph program = new TestJobGraph();
      JobVertex source =
          program.vertex(
              "source",
              1,
              Fixtures.numbers(records),
              new OperatorSpec.Map(
                  record -> {
                    Fixtures.shared(emittedName, AtomicLong.class).incrementAndGet();
                    return record;
                  }));
      JobVertex sum =
          program.vertex(
              "sum",
              1,
              new OperatorSpec.Map(
                  record -> {
                    Fixtures.shared(gateName, CountDownLatch.class).await();
                    return record;
                  }),
              new OperatorSpec.Reduce(
                  record -> 0L, (left, right) -> (Long) left + (Long) right, true),
              Fixtures.collect());
      program.edge(source, sum, Partitioning.HASH, (Serializable) Fixtures.itself());
      JobGraph graph = program.build();
      ExecutionId producer;
      TestRun run =
          remote
              ? TestRun.of(graph, first, second).deploy(1, subtask -> 0)
              : TestRun.of(graph, first).deploy(1, subtask -> 0);
      producer = run.executionsOf(source).get(0);

      run.await(
          "back pressure", () -> counters(first, graph, producer).backPressuredMillis() > 200);
      long before = emitted.get();
      run.await(
          "more back pressure", () -> counters(first, graph, producer).backPressuredMillis() > 400);

      assertThat(emitted.get()).isEqualTo(before).isPositive().isLessThan(BOUND);
      gate.countDown();
      run.awaitEnd();
      assertThat(run.collected()).containsExactly(records * (records - 1) / 2);
    }
  }

  @Test
  @Behaviour("H2: a slow consumer holds its producers back")
  void aRemoteConsumerHoldsItsProducerBack() {
    try (DataPlane first = host(true);
        DataPlane second = host(true)) {
      AtomicLong emitted = new AtomicLong();
      String emittedName = Fixtures.share(emitted);
      CountDownLatch gate = new CountDownLatch(1);
      String gateName = Fixtures.share(gate);
      TestJobGraph program = new TestJobGraph();
      // Subtask 0 runs at one host and subtask 1 at the other; only subtask 0 emits.
      JobVertex source =
          program.vertex(
              "source",
              2,
              Fixtures.numbers(1),
              new OperatorSpec.FlatMap(
                  (record, out) -> {
                    for (long i = 0; i < 300_000; i++) {
                      Fixtures.shared(emittedName, AtomicLong.class).incrementAndGet();
                      out.emit("record " + i);
                    }
                  }));
      JobVertex count =
          program.vertex(
              "count",
              2,
              new OperatorSpec.Map(
                  record -> {
                    Fixtures.shared(gateName, CountDownLatch.class).await();
                    return 1L;
                  }),
              new OperatorSpec.Reduce(
                  record -> 0L, (left, right) -> (Long) left + (Long) right, true),
              Fixtures.collect());
      program.edge(source, count, Partitioning.REBALANCE);
      JobGraph graph = program.build();
      TestRun run = TestRun.start(graph, first, second);
      ExecutionId producer = run.executionsOf(source).get(0);

      run.await(
          "back pressure", () -> counters(first, graph, producer).backPressuredMillis() > 200);

      assertThat(emitted.get()).isPositive().isLessThan(BOUND);
      gate.countDown();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected().stream().mapToLong(Long.class::cast).sum()).isEqualTo(300_000);
      assertThat(counters(first, graph, producer).bytesOut()).isPositive();
    }
  }

  @Test
  void aClientThatTakesNothingHoldsTheJobBack() {
    try (DataPlane host = host(false)) {
      AtomicLong emitted = new AtomicLong();
      String emittedName = Fixtures.share(emitted);
      TestJobGraph program = new TestJobGraph();
      JobVertex all =
          program.vertex(
              "all",
              1,
              Fixtures.numbers(200_000),
              new OperatorSpec.Map(
                  record -> {
                    Fixtures.shared(emittedName, AtomicLong.class).incrementAndGet();
                    return record;
                  }),
              Fixtures.collect());
      JobGraph graph = program.build();
      TestRun run = TestRun.of(graph, host).holdCollected().deploy(1, subtask -> 0);
      ExecutionId execution = run.executionsOf(all).get(0);

      run.await(
          "back pressure", () -> counters(host, graph, execution).backPressuredMillis() > 200);
      assertThat(emitted.get()).isPositive().isLessThan(BOUND);
      assertThat(run.collected().size()).isPositive().isLessThanOrEqualTo(512);
      run.acceptCollected();
      run.awaitEnd();

      assertThat(run.collected()).hasSize(200_000);
    }
  }

  @Test
  void countsWhatPasses() {
    try (DataPlane host = host(false)) {
      TestJobGraph program = new TestJobGraph();
      JobVertex source = program.vertex("source", 1, Fixtures.numbers(5000));
      JobVertex sink = program.vertex("sink", 1, Fixtures.discard());
      program.edge(source, sink, Partitioning.FORWARD);
      JobGraph graph = program.build();

      TestRun run = TestRun.start(graph, host).awaitEnd();

      assertThat(run.count(TaskState.FINISHED)).isEqualTo(2);
      assertThat(counters(host, graph, run.executionsOf(source).get(0)).recordsOut())
          .isEqualTo(5000);
      assertThat(counters(host, graph, run.executionsOf(sink).get(0)).recordsIn()).isEqualTo(5000);
      host.release(graph.id());
      assertThat(host.counters(graph.id())).isEmpty();
    }
  }
}
