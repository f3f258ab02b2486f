package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.time.Timestamps;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.graph.CustomPartitioning;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a user is told about functions that return what they must not. */
class UserErrorsTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  /** Numbers that go through one operator, on an edge of some partitioning. */
  private static JobGraph through(
      OperatorSpec operator, Partitioning partitioning, Serializable selector) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(10));
    // Without a key on the edge one subtask has all keys.
    JobVertex work = program.vertex("work", selector == null ? 1 : 2, operator, Fixtures.collect());
    if (selector == null) {
      program.edge(source, work, partitioning);
    } else {
      program.edge(source, work, partitioning, selector);
    }
    return program.build();
  }

  private static JobGraph partitioned(int partition) {
    return through(
        new OperatorSpec.Map(record -> record),
        Partitioning.CUSTOM,
        new CustomPartitioning(record -> record, (key, partitions) -> partition));
  }

  private static JobGraph through(OperatorSpec operator) {
    return through(operator, Partitioning.REBALANCE, null);
  }

  private static KeySelector<Object, Object> nullFor(long number) {
    return record -> record.equals(number) ? null : record;
  }

  private static final KeySelector<Object, Object> THROWS =
      record -> {
        throw new IllegalStateException("no key today");
      };

  private static OperatorSpec window(KeySelector<Object, Object> key, WindowAssigner assigner) {
    return new OperatorSpec.Window(
        key,
        new WindowSpec(
            assigner,
            0,
            "",
            new WindowSpec.Content.Reduced((left, right) -> left),
            WindowSpec.PassThrough.INSTANCE));
  }

  private static Map<String, JobGraph> failing(Map<String, String> expected) {
    Map<String, JobGraph> graphs = new LinkedHashMap<>();
    for (int partition : new int[] {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      graphs.put("partition " + partition, partitioned(partition));
      expected.put(
          "partition " + partition,
          "The partitioner returned partition "
              + partition
              + " of 2 partitions; the first one is 0");
    }
    graphs.put(
        "partitioner that throws",
        through(
            new OperatorSpec.Map(record -> record),
            Partitioning.CUSTOM,
            new CustomPartitioning(
                record -> record,
                (key, partitions) -> {
                  throw new IllegalStateException("no partition today");
                })));
    expected.put("partitioner that throws", "no partition today");
    graphs.put("null that is collected", through(new OperatorSpec.Map(record -> null)));
    expected.put(
        "null that is collected", "A collected record is null. Filter nulls out before collect().");
    graphs.put(
        "large record that is collected",
        through(new OperatorSpec.Map(record -> "x".repeat(1_000_000))));
    expected.put(
        "large record that is collected",
        "bytes is too large to be collected; the maximum is 900000 bytes. Write it to a sink"
            + " instead.");
    graphs.put(
        "no timestamp",
        through(
            new OperatorSpec.Timestamps(
                WatermarkStrategy.forBoundedOutOfOrderness(
                    Duration.ZERO, record -> Timestamps.NONE),
                false)));
    expected.put(
        "no timestamp",
        "A record has no timestamp. Call withTimestampAssigner on its WatermarkStrategy.");
    graphs.put(
        "timestamp assigner that throws",
        through(
            new OperatorSpec.Timestamps(
                WatermarkStrategy.forBoundedOutOfOrderness(
                    Duration.ZERO, record -> Long.parseLong("no time")),
                false)));
    expected.put("timestamp assigner that throws", "For input string: \"no time\"");
    String nullKey = "The key of a record is null. Give such records a key of their own.";
    for (boolean finalOnly : new boolean[] {false, true}) {
      String name = "null as a key of a reduction" + (finalOnly ? " at the end" : "");
      graphs.put(
          name, through(new OperatorSpec.Reduce(nullFor(3), (left, right) -> right, finalOnly)));
      expected.put(name, nullKey);
    }
    graphs.put(
        "null as a key of a window",
        through(window(nullFor(3), new WindowAssigner.Aligned(10, 10, 0, false))));
    expected.put("null as a key of a window", nullKey);
    graphs.put(
        "null as a key of a session",
        through(window(nullFor(3), new WindowAssigner.Session(10, false))));
    expected.put("null as a key of a session", nullKey);
    graphs.put(
        "null as a key of an edge",
        through(
            new OperatorSpec.Map(record -> record), Partitioning.HASH, (Serializable) nullFor(3)));
    expected.put("null as a key of an edge", "null");
    graphs.put(
        "key that throws", through(new OperatorSpec.Reduce(THROWS, (left, right) -> right, false)));
    expected.put("key that throws", "no key today");
    graphs.put(
        "key of an edge that throws",
        through(new OperatorSpec.Map(record -> record), Partitioning.HASH, (Serializable) THROWS));
    expected.put("key of an edge that throws", "no key today");
    graphs.put(
        "key of a window that throws",
        through(window(THROWS, new WindowAssigner.Aligned(10, 10, 0, false))));
    expected.put("key of a window that throws", "no key today");
    graphs.put(
        "record of no time in a window",
        through(window(Fixtures.itself(), new WindowAssigner.Aligned(10, 10, 0, true))));
    expected.put(
        "record of no time in a window",
        "A record without a timestamp reached an event-time window.");
    return graphs;
  }

  @TestFactory
  Stream<DynamicTest> wrongResultsOfFunctionsAreNamed() {
    Map<String, String> expected = new LinkedHashMap<>();
    return failing(expected).entrySet().stream()
        .flatMap(
            entry ->
                Stream.of(StateBackendOptions.HASHMAP, "rocksdb")
                    .map(
                        backend ->
                            DynamicTest.dynamicTest(
                                entry.getKey() + " in " + backend,
                                () ->
                                    assertFails(
                                        entry.getValue(), backend, expected.get(entry.getKey())))));
  }

  private static void assertFails(JobGraph graph, String backend, String message) {
    try (DataPlane own = new DataPlane(DataPlaneSettings.inProcess(1))) {
      TestRun run =
          TestRun.start(
              graph.withConfiguration(
                  graph.configuration().with(StateBackendOptions.TYPE, backend)),
              own);
      run.await("a failure", () -> !run.failures().isEmpty());
      run.cancel();
      run.awaitEnd();
      Failure failure = run.failures().get(0);
      assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
      assertThat(failure.message()).contains(message).contains("of task '");
    }
  }

  @Test
  void aPartitionerChoosesTheConsumer() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(1_000));
    JobVertex work = program.vertex("work", 3, Fixtures.collect());
    program.edge(
        source,
        work,
        Partitioning.CUSTOM,
        new CustomPartitioning(
            record -> (Long) record % 10, (key, partitions) -> ((Long) key).intValue() % 2));
    TestRun run = TestRun.start(program.build(), host).awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected())
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 1_000).boxed().toList());
    List<Long> received = new ArrayList<>();
    host.counters(run.job()).stream()
        .filter(counters -> run.executionsOf(work).contains(counters.execution()))
        .forEach(counters -> received.add(counters.recordsIn()));
    assertThat(received).containsExactlyInAnyOrder(500L, 500L, 0L);
  }

  /** Parts for the client are limited, whatever the sizes of records. */
  @Test
  void largeRecordsAreCollectedInTheirOrder() {
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "v",
        1,
        Fixtures.numbers(60),
        new OperatorSpec.Map(
            record -> record + " " + "x".repeat((Long) record % 3 == 0 ? 400_000 : 10)),
        Fixtures.collect());
    TestRun run = TestRun.start(program.build(), host).awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.violations()).isEmpty();
    assertThat(run.collected().stream().map(text -> text.toString().split(" ")[0]))
        .containsExactlyElementsOf(LongStream.range(0, 60).mapToObj(String::valueOf).toList());
  }
}
