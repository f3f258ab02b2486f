package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Slow;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskThread;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Programs whose tasks can only be doing one thing. */
class TaskTimesTest {
  private static final long WATCHED_MILLIS = 300;

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));
  private final CountDownLatch gate = new CountDownLatch(1);
  private final String gateName = Fixtures.share(gate);

  @AfterEach
  void close() {
    gate.countDown();
    host.close();
  }

  private TaskCounters counters(JobGraph graph, ExecutionId task) {
    return host.counters(graph.id()).stream()
        .filter(counters -> counters.execution().equals(task))
        .findFirst()
        .orElseThrow();
  }

  /** What a task did for a while once it does what it is to do. */
  private record Watched(long busy, long backPressured, long idle) {}

  private Watched watch(TestRun run, JobGraph graph, JobVertex vertex) {
    ExecutionId task = run.executionsOf(vertex).get(0);
    long beforeFirst = System.nanoTime();
    TaskCounters first = counters(graph, task);
    long afterFirst = System.nanoTime();
    run.await("some time", () -> counters(graph, task).millis() > first.millis() + WATCHED_MILLIS);
    long beforeLast = System.nanoTime();
    TaskCounters last = counters(graph, task);
    long afterLast = System.nanoTime();

    // Not a moment is lost or counted twice, but for what is cut off to have milliseconds.
    assertThat(last.millis() - first.millis())
        .isBetween(
            (beforeLast - afterFirst) / 1_000_000 - 3, (afterLast - beforeFirst) / 1_000_000 + 3);
    return new Watched(
        last.busyMillis() - first.busyMillis(),
        last.backPressuredMillis() - first.backPressuredMillis(),
        last.idleMillis() - first.idleMillis());
  }

  /**
   * Waits until a producer has no room left. A consumer that has not begun yet takes a batch later,
   * which lets the producer go on for a moment.
   */
  private void awaitFull(TestRun run, JobGraph graph, ExecutionId producer, ExecutionId consumer) {
    run.await("the consumer waits", () -> counters(graph, consumer).busyMillis() > 0);
    long[] seen = {-1, 0};
    run.await(
        "full",
        () -> {
          TaskCounters now = counters(graph, producer);
          if (now.recordsOut() != seen[0]) {
            seen[0] = now.recordsOut();
            seen[1] = now.backPressuredMillis();
          }
          return now.backPressuredMillis() > seen[1] + 20;
        });
  }

  private OperatorSpec waiting() {
    String name = gateName;
    return new OperatorSpec.Map(
        record -> {
          Slow.await(Fixtures.shared(name, CountDownLatch.class));
          return record;
        });
  }

  @Test
  @Behaviour("I3: busy, idle and back-pressured time add up to the age of a task")
  void whoWaitsForInputIsIdle() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("s", 1, new OperatorSpec.Source(new Fixtures.IdleSource()));
    JobVertex sink = program.vertex("d", 1, Fixtures.discard());
    program.edge(source, sink, Partitioning.FORWARD);
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, host).awaitRunning();
    for (JobVertex vertex : graph.vertices()) {
      ExecutionId task = run.executionsOf(vertex).get(0);
      run.await("idle", () -> counters(graph, task).idleMillis() > 0);
      Watched watched = watch(run, graph, vertex);
      assertThat(watched.busy() + watched.backPressured()).isZero();
    }
    run.cancel();
    run.awaitEnd();
  }

  @Test
  @Behaviour("I3: busy, idle and back-pressured time add up to the age of a task")
  void whoWaitsForRoomIsBackPressuredAndWhoHoldsItUpIsBusy() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("s", 1, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex slow = program.vertex("slow", 1, waiting(), Fixtures.discard());
    program.edge(source, slow, Partitioning.FORWARD);
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, host);
    ExecutionId producer = run.executionsOf(source).get(0);
    awaitFull(run, graph, producer, run.executionsOf(slow).get(0));

    Watched held = watch(run, graph, source);
    assertThat(held.busy() + held.idle()).isZero();
    Watched holding = watch(run, graph, slow);
    assertThat(holding.idle() + holding.backPressured()).isZero();
    assertThat(holding.busy()).isPositive();
    gate.countDown();
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void whoBlocksInTheMiddleOfACallIsBackPressuredAndHasAThreadOfItsOwn() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex(
            "s",
            1,
            Fixtures.numbers(1),
            new OperatorSpec.FlatMap(
                (record, out) -> {
                  for (int i = 0; i < 1_000_000; i++) {
                    out.emit(i);
                  }
                }));
    JobVertex slow = program.vertex("slow", 1, waiting(), Fixtures.discard());
    program.edge(source, slow, Partitioning.FORWARD);
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, host);
    ExecutionId producer = run.executionsOf(source).get(0);
    awaitFull(run, graph, producer, run.executionsOf(slow).get(0));

    Watched held = watch(run, graph, source);
    assertThat(held.busy() + held.idle()).isZero();
    TaskThread thread = counters(graph, producer).thread().orElseThrow();
    assertThat(thread.kind()).isEqualTo(TaskThread.Kind.OWN);
    assertThat(thread.reason()).contains("room in its output");
    assertThat(thread.ownThreads()).isPositive();
    assertThat(thread.mostOwnThreads()).isEqualTo(256);
    gate.countDown();
    run.awaitEnd();
    assertThat(counters(graph, producer).thread()).isEmpty();
  }

  @Test
  @Behaviour(
      "F5: a task on its own thread shows since when, why and at which line of the program, and"
          + " returns to the cores")
  void whoHoldsACoreThatOthersNeedIsNamedWithTheUsersLine() {
    TestJobGraph program = new TestJobGraph();
    JobVertex slow = program.vertex("slow", 4, Fixtures.numbers(4), waiting(), Fixtures.discard());
    JobGraph graph = program.build();
    TestRun run = TestRun.start(graph, host);
    ExecutionId first = run.executionsOf(slow).get(0);
    run.await("alone", () -> counters(graph, first).thread().isPresent());

    TaskThread thread = counters(graph, first).thread().orElseThrow();
    assertThat(thread.reason())
        .matches("held its core for \\d+ ms in com\\.example\\.Slow\\.await\\(Slow\\.java:\\d+\\)");
    assertThat(host.whereabouts(first))
        .hasValueSatisfying(
            line -> assertThat(line).startsWith("com.example.Slow.await(Slow.java"));
    gate.countDown();
    run.awaitEnd();
    assertThat(host.whereabouts(first)).isEqualTo(Optional.empty());
  }
}
