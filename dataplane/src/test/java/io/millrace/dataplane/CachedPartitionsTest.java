package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.sink.SinkWriter;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.ClusterPartition;
import io.millrace.task.LostPartitionException;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results that one job leaves on its hosts and another one reads from there. */
class CachedPartitionsTest {
  private static final DataSetId DATA_SET = new DataSetId(new Id128(4, 2));

  private static final long TERM = 3;

  @TempDir Path directory;

  private DataPlane host(String name) {
    return new DataPlane(
        DataPlaneSettings.listening(
                2,
                new DataPort(
                    "127.0.0.1",
                    BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(0)),
                    "127.0.0.1",
                    Bytes.utf8("secret"),
                    Optional.empty(),
                    new ConnectionTimeouts(
                        Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(50)),
                    // Frames that are much shorter than a batch of records.
                    new NetworkMemory(1 << 20, 4096)))
            .keepingIn(directory.resolve(name)));
  }

  @Test
  @Behaviour(
      "H2: later jobs read a cached result at any parallelism, and its sources do not run again")
  void anyNumberOfReadersGetsEveryRecordOnce() throws Exception {
    try (DataPlane one = host("one");
        DataPlane two = host("two")) {
      JobId producer = write(100_000, one, two);
      assertThat(one.kept()).containsExactly(partition(producer, 0));
      assertThat(two.kept()).containsExactly(partition(producer, 1));
      List<String> expected =
          LongStream.range(0, 100_000).mapToObj(CachedPartitionsTest::record).sorted().toList();
      for (int readers : new int[] {1, 2, 5}) {
        TestRun read =
            TestRun.start(reader(readers, producer, one.dataAddress(), two.dataAddress()), one, two)
                .awaitEnd();
        assertThat(read.failures()).isEmpty();
        assertThat(read.collected().stream().map(Object::toString).sorted().toList())
            .as("%s readers", readers)
            .isEqualTo(expected);
      }

      one.drop(one.kept());
      awaitFiles("one", 0);
      assertThat(files("two")).hasSize(1);
    }
    assertThat(files("one")).isEmpty();
    assertThat(files("two")).as("a host leaves nothing").isEmpty();
  }

  @Test
  @Behaviour("H2: a job that reads a lost cached partition fails and does not restart")
  void partitionThatIsNotThereAnyMoreFailsTheReader() throws Exception {
    try (DataPlane one = host("one");
        DataPlane two = host("two")) {
      JobId producer = write(1_000, one, two);
      two.drop(two.kept());
      one.drop(one.kept());
      for (DataPlane at : List.of(one, two)) {
        TestRun read =
            TestRun.start(reader(1, producer, one.dataAddress(), two.dataAddress()), at).awaitEnd();
        assertThat(read.failures())
            .singleElement()
            .satisfies(
                failure -> {
                  assertThat(LostPartitionException.caused(failure)).isTrue();
                  assertThat(failure.kind()).isEqualTo(ErrorKind.EXTERNAL);
                  assertThat(failure.message())
                      .contains(
                          "partition 1/2", one.dataAddress(), "the TaskManager does not store it");
                });
      }
    }
  }

  @Test
  @Behaviour("H2: a job that reads a lost cached partition fails and does not restart")
  void hostThatIsGoneFailsTheReader() throws Exception {
    try (DataPlane one = host("one")) {
      JobId producer;
      String gone;
      try (DataPlane two = host("two")) {
        producer = write(1_000, one, two);
        gone = two.dataAddress();
      }
      TestRun read = TestRun.start(reader(1, producer, one.dataAddress(), gone), one).awaitEnd();
      Failure failure = read.failures().get(0);
      assertThat(LostPartitionException.caused(failure)).isTrue();
      assertThat(failure.message()).contains(gone, "cannot be reached");
    }
  }

  /** What a job leaves is there only once somebody has said that it is to be kept. */
  @Test
  void unkeptPartitionsGoWithTheirJob() throws Exception {
    try (DataPlane one = host("one")) {
      TestRun run = TestRun.start(writer(1_000, 2).build(), one).awaitEnd();
      assertThat(files("one")).hasSize(2);
      assertThat(one.kept()).isEmpty();
      assertThat(one.hasResultsOf(run.job())).isTrue();
      one.release(run.job());
      assertThat(one.hasResultsOf(run.job())).isFalse();
      awaitFiles("one", 0);
    }
  }

  /** Also where the writer had its end of input and what it shares a task with fails after it. */
  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void failedAndCancelledTasksLeaveNothing() throws Exception {
    try (DataPlane one = host("one")) {
      TestJobGraph failing = new TestJobGraph();
      failing.vertex(
          "failing",
          1,
          Fixtures.numbers(1_000),
          new OperatorSpec.Cache(DATA_SET.toString()),
          new OperatorSpec.Sink(context -> new FailsAtTheEnd()));
      TestRun failed = TestRun.start(failing.build(), one).awaitEnd();
      assertThat(failed.failures().get(0).message()).contains("not today");
      assertThat(one.hasResultsOf(failed.job())).isFalse();

      TestJobGraph endless = new TestJobGraph();
      endless.vertex(
          "endless",
          1,
          new OperatorSpec.Source(new Fixtures.Endless()),
          new OperatorSpec.Cache(DATA_SET.toString()));
      TestRun cancelled = TestRun.start(endless.build(), one).awaitRunning();
      cancelled.cancel();
      cancelled.awaitEnd();
      assertThat(cancelled.count(TaskState.CANCELED)).isEqualTo(1);
      awaitFiles("one", 0);
    }
  }

  @Test
  void recordsWhoseClassTheReaderLacksAreAnErrorThatSaysSo() throws Exception {
    compile(
        """
        package user;

        public class Makes implements io.millrace.api.function.MapFunction<Object, Object> {
          public record Thing(long number) {}

          public Object map(Object number) {
            return new Thing((Long) number);
          }
        }
        """);
    try (DataPlane one = host("one");
        URLClassLoader classes =
            new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
      TestJobGraph program = new TestJobGraph();
      JobVertex vertex =
          program.vertex(
              "writer",
              1,
              Fixtures.numbers(10),
              new OperatorSpec.Map(mapOf(classes)),
              new OperatorSpec.Cache(DATA_SET.toString()));
      TestRun run = TestRun.of(program.build(), classes, one).deploy(1, subtask -> 0).awaitEnd();
      assertThat(run.failures()).isEmpty();
      one.keep(TERM, run.executionsOf(vertex));

      JobGraph reader = reader(1, run.job(), one.dataAddress());
      TestRun same = TestRun.of(reader, classes, one).deploy(1, subtask -> 0).awaitEnd();
      assertThat(same.failures()).isEmpty();
      assertThat(same.collected()).hasSize(10);
      TestRun other = TestRun.start(reader(1, run.job(), one.dataAddress()), one).awaitEnd();
      assertThat(other.failures())
          .singleElement()
          .satisfies(
              failure -> {
                assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
                assertThat(failure.message())
                    .contains(
                        "user.Makes$Thing", run.job().toString(), "must contain the same classes");
              });
    }
  }

  @SuppressWarnings("unchecked") // As its source says.
  private static MapFunction<Object, Object> mapOf(ClassLoader classes) throws Exception {
    return (MapFunction<Object, Object>)
        classes.loadClass("user.Makes").getConstructor().newInstance();
  }

  private void compile(String text) throws IOException {
    Path source = directory.resolve("Makes.java");
    Files.writeString(source, text);
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    null,
                    null,
                    "-cp",
                    classPath,
                    "-d",
                    directory.toString(),
                    source.toString()))
        .isZero();
  }

  private static final class FailsAtTheEnd implements SinkWriter<Object> {
    @Override
    public void write(Object record) {}

    @Override
    public void flush(boolean endOfInput) {
      throw new IllegalStateException("not today");
    }
  }

  /** Writes records on hosts, one partition each, and has them kept. */
  private static JobId write(long records, DataPlane... hosts) {
    TestJobGraph program = writer(records, hosts.length);
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, hosts).awaitEnd();
    assertThat(run.failures()).isEmpty();
    for (DataPlane host : hosts) {
      host.keep(TERM, run.executionsOf(graph.vertices().get(1)));
    }
    return graph.id();
  }

  private static TestJobGraph writer(long records, int parallelism) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", parallelism, Fixtures.numbers(records));
    JobVertex cache =
        program.vertex(
            "cache",
            parallelism,
            new OperatorSpec.Map(number -> record((Long) number)),
            new OperatorSpec.Cache(DATA_SET.toString()));
    return program.edge(source, cache, Partitioning.REBALANCE);
  }

  private static String record(long number) {
    return number + "-" + "x".repeat((int) (number % 50));
  }

  private static JobGraph reader(int readers, JobId producer, String... places) {
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "reader",
        readers,
        new OperatorSpec.ReadCached(
            DATA_SET.toString(), producer.toString(), TERM, List.of(places)),
        Fixtures.collect());
    return program.build();
  }

  private static ClusterPartition partition(JobId producer, int index) {
    return new ClusterPartition(DATA_SET, producer, TERM, index, 2);
  }

  private List<Path> files(String host) throws IOException {
    Path home = directory.resolve(host);
    if (!Files.exists(home)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(home)) {
      return files.toList();
    }
  }

  private void awaitFiles(String host, int count) throws IOException {
    long end = System.nanoTime() + TestRun.PATIENCE.toNanos();
    while (files(host).size() != count && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(files(host)).hasSize(count);
  }
}
