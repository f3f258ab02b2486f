package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InProcessTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  private static KeySelector<Object, Object> modulo(long keys) {
    return record -> ((Long) record) % keys;
  }

  @Test
  void collectsWhatASourceEmits() {
    TestJobGraph program = new TestJobGraph();
    program.vertex("all", 3, Fixtures.numbers(10_000), Fixtures.collect());

    TestRun run = TestRun.start(program.build(), host).awaitEnd();

    assertThat(run.violations()).isEmpty();
    assertThat(run.failures()).isEmpty();
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(3);
    assertThat(run.collected())
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 10_000).boxed().toList());
  }

  @Test
  @Behaviour("H1: bounded programs give the results of a loop")
  void sumsPerKeyOnceAtTheEnd() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(100_000));
    JobVertex sum =
        program.vertex(
            "sum",
            3,
            new OperatorSpec.Aggregate(modulo(1000), new CountPerKey(), true),
            Fixtures.collect());
    program.edge(source, sum, Partitioning.HASH, (Serializable) modulo(1000));

    TestRun run = TestRun.start(program.build(), host).awaitEnd();

    List<Object> expected = new ArrayList<>();
    for (long key = 0; key < 1000; key++) {
      expected.add(key + "=100");
    }
    assertThat(run.violations()).isEmpty();
    assertThat(run.collected()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void countsKeysByTheTenThousandWhileNewOnesComeBetweenOldOnes() {
    long keys = 90_000;
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(3 * keys));
    JobVertex count =
        program.vertex(
            "count",
            1,
            new OperatorSpec.Reduce(modulo(keys), (a, b) -> (Long) a + (Long) b, true),
            Fixtures.collect());
    program.edge(source, count, Partitioning.HASH, (Serializable) modulo(keys));

    TestRun run = TestRun.start(program.build(), host).awaitEnd();

    assertThat(run.violations()).isEmpty();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, keys).mapToObj(key -> 3 * key + 3 * keys).toList());
  }

  @Test
  void aNullKeyAmongManyFailsTheJobWhereItComes() {
    long keys = 60_000;
    KeySelector<Object, Object> selector =
        record -> (Long) record == 2 * keys + 5 ? null : ((Long) record) % keys;
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(3 * keys));
    JobVertex count =
        program.vertex(
            "count",
            1,
            new OperatorSpec.Reduce(selector, (a, b) -> (Long) a + (Long) b, true),
            Fixtures.collect());
    program.edge(source, count, Partitioning.REBALANCE);

    TestRun run = TestRun.start(program.build(), host);

    run.await("failed", () -> run.count(TaskState.FAILED) == 1);
    assertThat(run.failures().toString()).contains("The key of a record is null");
  }

  /** Counts records; the key is the first record's remainder. */
  static final class CountPerKey
      implements io.millrace.api.function.AggregateFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object create() {
      return new long[2];
    }

    @Override
    public Object add(Object accumulator, Object record) {
      long[] counts = (long[]) accumulator;
      counts[0] = ((Long) record) % 1000;
      counts[1]++;
      return counts;
    }

    @Override
    public Object result(Object accumulator) {
      long[] counts = (long[]) accumulator;
      return counts[0] + "=" + counts[1];
    }
  }

  @Test
  void flatMapMayEmitAMillionRecordsInOneCall() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex(
            "burst",
            1,
            Fixtures.numbers(1),
            new OperatorSpec.FlatMap(
                (record, out) -> {
                  for (long i = 0; i < 1_000_000; i++) {
                    out.emit(i);
                  }
                }));
    JobVertex sum =
        program.vertex(
            "sum",
            2,
            new OperatorSpec.Reduce(
                record -> 0L, (left, right) -> (Long) left + (Long) right, true),
            Fixtures.collect());
    program.edge(source, sum, Partitioning.REBALANCE);

    TestRun run = TestRun.start(program.build(), host).awaitEnd();

    assertThat(run.violations()).isEmpty();
    assertThat(run.collected().stream().mapToLong(Long.class::cast).sum())
        .isEqualTo(499_999_500_000L);
  }
}
