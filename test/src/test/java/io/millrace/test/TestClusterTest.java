package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Counted;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on a cluster whose TaskManagers and tasks fail. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TestClusterTest {
  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(2, 2).configure("execution.checkpointing.interval", "100 ms");

  private static final int KEYS = 7;
  private static final long RECORDS = 8_000;

  /** The highest count of each key that a test's sink has seen. */
  private static final Map<String, Map<Long, Long>> HIGHEST = new ConcurrentHashMap<>();

  private record Highest(String test) implements Sink<Counted<Long>> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Counted<Long>> createWriter(SinkContext context) {
      return counted -> HIGHEST.get(test).merge(counted.key(), counted.count(), Math::max);
    }
  }

  /** How many numbers the source of a test may emit. */
  private static final Map<String, AtomicLong> ALLOWED = new ConcurrentHashMap<>();

  private record Position(long next) implements SourceSplit {
    @Override
    public String splitId() {
      return "numbers";
    }
  }

  /** The numbers below a limit that the test raises; ends at {@link #RECORDS}. */
  private record Numbers(String test) implements Source<Long, Position> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public int maxParallelism() {
      return 1;
    }

    @Override
    public List<Position> initialSplits(SourceContext context) {
      return List.of(new Position(0));
    }

    @Override
    public SourceReader<Long, Position> createReader(SourceContext context) {
      return new SourceReader<>() {
        private long next;

        @Override
        public void addSplits(List<Position> splits) {
          splits.forEach(split -> next = split.next());
        }

        @Override
        public List<Position> snapshot(long checkpoint) {
          return List.of(new Position(next));
        }

        @Override
        public Status poll(SourceOutput<Long> out, int limit) {
          long allowed = ALLOWED.get(test).get();
          for (int i = 0; i < limit && next < allowed; i++) {
            out.emit(next++);
          }
          if (next < allowed) {
            return Status.MORE;
          }
          context.wakeAfter(Duration.ofMillis(5));
          return next < RECORDS ? Status.WAIT : Status.END;
        }
      };
    }
  }

  private static JobClient counts(String test, StreamEnvironment env) {
    HIGHEST.put(test, new ConcurrentHashMap<>());
    ALLOWED.put(test, new AtomicLong(RECORDS / 4));
    env.fromSource(new Numbers(test), "numbers")
        .keyBy(number -> number % KEYS)
        .count()
        .name("count")
        .sinkTo(new Highest(test));
    return env.executeAsync(test);
  }

  private static long sum(String test) {
    return HIGHEST.get(test).values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  @Order(1)
  @Behaviour("H4: counts are exact after the loss of a TaskManager and the failure of a task")
  void countsAreExactAfterFaultsOfEachKind() {
    JobClient job = counts("exact", CLUSTER.environment());
    CLUSTER.await("a quarter of the records", () -> sum("exact") == RECORDS / 4);
    long taken = CLUSTER.checkpoint(job);
    String killed = CLUSTER.killTaskManager(job);
    assertThat(CLUSTER.taskManagers()).hasSize(1).doesNotContain(killed);
    CLUSTER.startTaskManager();
    CLUSTER.awaitRunning(job);
    assertThat(CLUSTER.restoredCheckpoint(job).getAsLong()).isGreaterThanOrEqualTo(taken);
    ALLOWED.get("exact").set(RECORDS / 2);
    CLUSTER.await("half of the records", () -> sum("exact") == RECORDS / 2);
    CLUSTER.failTask(job, "count", 1);
    CLUSTER.awaitRunning(job);
    assertThat(CLUSTER.restarts(job)).isGreaterThanOrEqualTo(2);
    ALLOWED.get("exact").set(RECORDS);
    assertThat(job.await().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(sum("exact")).isEqualTo(RECORDS);
  }

  @Test
  @Order(2)
  void restartsFromACheckpointAndIsCancelledAfterTheTest() {
    JobClient job = counts("restart", CLUSTER.environment());
    CLUSTER.restartFromCheckpoint(job);
    assertThat(CLUSTER.restarts(job)).isEqualTo(1);
    // Replaced after the test.
    CLUSTER.killTaskManager(job);
    assertThat(CLUSTER.taskManagers()).hasSize(1);
  }

  @Test
  @Order(3)
  void hasItsTaskManagersAndSlotsAgainAfterATest() {
    assertThat(CLUSTER.taskManagers()).hasSize(2);
    // Needs all slots.
    List<Integer> seen =
        CLUSTER.environment().fromElements(1, 2, 3).rebalance().map(x -> x + 1).collect().toList();
    assertThat(seen).containsExactlyInAnyOrder(2, 3, 4);
  }

  @Test
  @Order(4)
  @Behaviour("H4: a job starts with the savepoint of another one, at another parallelism")
  void anotherJobStartsWithASavepointAtAnotherParallelism(@TempDir Path directory) {
    JobClient first = counts("first", CLUSTER.environment());
    CLUSTER.await("results", () -> sum("first") == RECORDS / 4);
    String savepoint = CLUSTER.savepoint(first, directory);
    first.cancel().join();
    assertThat(first.await().status()).isEqualTo(JobStatus.CANCELED);
    JobClient second =
        counts(
            "second",
            CLUSTER
                .environment()
                .parallelism(2)
                .configure("execution.state-recovery.path", savepoint));
    CLUSTER.awaitRunning(second);
    assertThat(sum("second")).isZero();
    ALLOWED.get("second").set(RECORDS);
    assertThat(second.await().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(CLUSTER.restoredCheckpoint(second)).isPresent();
    assertThat(sum("second")).isEqualTo(RECORDS);
  }

  @Test
  @Order(5)
  void runsMainOfAProgram() throws Exception {
    HIGHEST.put("main", new ConcurrentHashMap<>());
    CLUSTER.run(
        () -> {
          StreamEnvironment env = StreamEnvironment.current();
          env.fromElements(1L, 2L, 3L).keyBy(x -> x).count().sinkTo(new Highest("main"));
          env.execute("main");
        });
    assertThat(HIGHEST.get("main")).isEqualTo(Map.of(1L, 1L, 2L, 1L, 3L, 1L));
  }

  @Test
  @Order(6)
  void saysWhatItWaitedForAndWhatTheJobsDo() {
    TestCluster impatient = CLUSTER.patience(Duration.ofMillis(50));
    try {
      StreamEnvironment env = CLUSTER.environment();
      env.generate(x -> x).sinkTo(new DiscardSink<>());
      env.executeAsync("endless");
      assertThatThrownBy(() -> impatient.await("a miracle", () -> false))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("a miracle")
          .hasMessageContaining("job 'endless'");
    } finally {
      CLUSTER.patience(Duration.ofMinutes(1));
    }
  }

  @Test
  @Order(7)
  void namesTheTasksIfThereIsNoneToFail() {
    JobClient job = counts("names", CLUSTER.environment());
    assertThatThrownBy(() -> CLUSTER.failTask(job, "window", 0))
        .hasMessageContaining("no task with 'window' in its name")
        .hasMessageContaining("numbers");
    assertThatThrownBy(() -> CLUSTER.killTaskManager("other"))
        .hasMessageContaining("No TaskManager 'other' runs");
    assertThatThrownBy(() -> CLUSTER.configure("parallelism.default", "1"))
        .hasMessageContaining("has started");
  }

  @Nested
  class NestedTests {
    @Test
    void useTheSameCluster() {
      assertThat(CLUSTER.taskManagers()).hasSize(2);
      assertThat(CLUSTER.environment().fromElements(1).collect().toList()).containsExactly(1);
    }
  }

  @Test
  void refusesToRunOutsideOfTests() {
    assertThatThrownBy(() -> TestCluster.of(1, 1).environment())
        .hasMessageContaining("@RegisterExtension");
    assertThatThrownBy(() -> TestCluster.of(0, 1)).hasMessageContaining("not 0 TaskManagers");
  }
}
