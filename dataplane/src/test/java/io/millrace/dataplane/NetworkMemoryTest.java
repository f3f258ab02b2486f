package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.Serializable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs over two hosts whose network memory is small. */
class NetworkMemoryTest {
  private static final int SEGMENT = 1024;

  private static DataPlane host(int buffers) {
    return host(buffers, SEGMENT);
  }

  private static DataPlane host(int buffers, int segment) {
    return new DataPlane(
        DataPlaneSettings.listening(
            2,
            DataPort.loopback(
                0, Bytes.utf8("network"), new NetworkMemory((long) buffers * segment, segment))));
  }

  private static int free(DataPlane host) {
    return host.networkPool().orElseThrow().free();
  }

  /** Four subtasks send numbers to four that add them up; two of each run on each host. */
  private static JobGraph sums(long records) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 4, Fixtures.numbers(records));
    JobVertex sum =
        program.vertex(
            "sum",
            4,
            new OperatorSpec.Map(record -> 1L),
            new OperatorSpec.Reduce(
                record -> 0L, (left, right) -> (Long) left + (Long) right, true),
            Fixtures.collect());
    program.edge(source, sum, Partitioning.HASH, (Serializable) Fixtures.itself());
    return program.build();
  }

  private static long total(TestRun run) {
    return run.collected().stream().mapToLong(Long.class::cast).sum();
  }

  @ParameterizedTest
  @CsvSource({"8,8", "8,2000", "9,17", "2000,2000"})
  void isRightWithAnyNumberOfBuffersThatSuffices(int first, int second) {
    try (DataPlane one = host(first);
        DataPlane two = host(second)) {
      TestRun run = TestRun.start(sums(50_000), one, two).awaitEnd();

      assertThat(run.failures()).isEmpty();
      assertThat(total(run)).isEqualTo(50_000);
      run.await("all buffers back", () -> free(one) == first && free(two) == second);
    }
  }

  @Test
  @Behaviour(
      "F6: network memory is divided into buffers of one size; too few are an error that says how"
          + " much to set")
  void refusesADeploymentForWhichThereAreTooFewBuffers() {
    try (DataPlane one = host(7);
        DataPlane two = host(100)) {
      TestRun run = TestRun.start(sums(1000), one, two);
      run.await("failures", () -> run.count(TaskState.FAILED) >= 4);

      assertThat(run.failures())
          .anySatisfy(
              failure ->
                  assertThat(failure)
                      .extracting(Failure::kind, Failure::message)
                      .containsExactly(
                          ErrorKind.RESOURCE,
                          "Too little network memory: the tasks of this job on this TaskManager"
                              + " need 8 buffers (4 for channels from other TaskManagers, 4 for"
                              + " channels to them), but 7 of 7 buffers of 1kb are free."
                              + " Set taskmanager.memory.network.min to 8kb or more (and"
                              + " taskmanager.memory.network.max no lower, or"
                              + " taskmanager.memory.network.fraction accordingly), or lower the"
                              + " parallelism."));
      assertThat(free(one)).isEqualTo(7);
      run.cancel();
      run.await("all ended", () -> free(two) == 100);
    }
  }

  @Test
  void countsWhatOtherJobsHave() {
    try (DataPlane one = host(20);
        DataPlane two = host(200)) {
      TestRun first = TestRun.start(endless(), one, two).awaitRunning();
      int taken = 20 - free(one);
      assertThat(taken).isBetween(8, 20);
      TestRun second = TestRun.start(endless(), one, two).awaitRunning();
      assertThat(free(one)).isLessThan(8);

      TestRun third = TestRun.start(endless(), one, two);
      third.await("failures", () -> third.count(TaskState.FAILED) >= 4);
      assertThat(third.failures().get(0).message())
          .contains("but " + free(one) + " of 20 buffers", "24kb or more");

      first.cancel();
      second.cancel();
      third.cancel();
      first.awaitEnd();
      second.awaitEnd();
      first.await("all buffers back", () -> free(one) == 20 && free(two) == 200);
    }
  }

  private static JobGraph endless() {
    return sums(Long.MAX_VALUE);
  }

  @Test
  void carriesRecordsLargerThanTheWholePool() {
    try (DataPlane one = host(4);
        DataPlane two = host(4, 4096)) {
      TestJobGraph program = new TestJobGraph();
      JobVertex source =
          program.vertex(
              "source",
              2,
              Fixtures.numbers(40),
              new OperatorSpec.Map(record -> record + "x".repeat(200_000)));
      JobVertex lengths =
          program.vertex(
              "lengths",
              2,
              new OperatorSpec.Map(record -> (long) ((String) record).length()),
              Fixtures.collect());
      program.edge(source, lengths, Partitioning.REBALANCE);

      TestRun run = TestRun.start(program.build(), one, two).awaitEnd();

      assertThat(run.failures()).isEmpty();
      assertThat(run.collected()).hasSize(40);
      assertThat(total(run)).isEqualTo(40 * 200_000 + 10 + 2 * 30);
    }
  }

  @Test
  void hostsThatWorkAloneNeedNone() {
    try (DataPlane one = host(0)) {
      TestRun run = TestRun.start(sums(1000), one).awaitEnd();

      assertThat(run.failures()).isEmpty();
      assertThat(total(run)).isEqualTo(1000);
    }
  }
}
