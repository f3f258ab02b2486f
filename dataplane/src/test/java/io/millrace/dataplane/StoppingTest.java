package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoppingTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));

  @AfterEach
  void close() {
    host.close();
  }

  private TestRun cancelled(TestJobGraph program) {
    TestRun run = TestRun.start(program.build(), host).awaitRunning();
    run.cancel();
    run.awaitEnd();
    assertThat(run.violations()).isEmpty();
    assertThat(run.failures()).isEmpty();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(run.states().size());
    return run;
  }

  private static OperatorSpec entering(AtomicInteger entered, OperatorSpec.Map then) {
    String name = Fixtures.share(entered);
    return new OperatorSpec.Map(
        record -> {
          Fixtures.shared(name, AtomicInteger.class).incrementAndGet();
          return then.function().map(record);
        });
  }

  @Test
  void cancelsIdleTasks() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("s", 5, new OperatorSpec.Source(new Fixtures.IdleSource()));
    JobVertex sink = program.vertex("d", 5, Fixtures.discard());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    cancelled(program);
  }

  @Test
  void cancelsATaskThatSleepsInUserCode() {
    AtomicInteger entered = new AtomicInteger();
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "sleeper",
        4,
        Fixtures.numbers(100),
        entering(
            entered,
            new OperatorSpec.Map(
                record -> {
                  Thread.sleep(600_000);
                  return record;
                })),
        Fixtures.discard());
    TestRun run = TestRun.start(program.build(), host);
    // Four sleepers on two cores: all are reached only if the cores go on without them.
    run.await("all asleep", () -> entered.get() == 4);
    run.cancel();
    run.awaitEnd();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(4);
  }

  @Test
  void cancelsATaskThatSwallowsItsFirstInterrupts() {
    AtomicInteger entered = new AtomicInteger();
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "spinner",
        2,
        Fixtures.numbers(100),
        entering(
            entered,
            new OperatorSpec.Map(
                record -> {
                  int interrupts = 0;
                  while (interrupts < 3) {
                    if (Thread.interrupted()) {
                      interrupts++;
                    }
                  }
                  return record;
                })),
        Fixtures.discard());
    TestRun run = TestRun.start(program.build(), host);
    run.await("spinning", () -> entered.get() == 2);
    run.cancel();
    run.awaitEnd();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(2);
  }

  /** Does not come back from its close. */
  record StuckInClose(String entered) implements Sink<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Object> createWriter(SinkContext context) {
      return new SinkWriter<>() {
        @Override
        public void write(Object record) {}

        @Override
        public void close() throws IOException {
          Fixtures.shared(entered, AtomicInteger.class).incrementAndGet();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted");
          }
        }
      };
    }
  }

  @Test
  void cancelsATaskThatBlocksInCloseAfterItsInputEnded() {
    AtomicInteger entered = new AtomicInteger();
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "stuck",
        2,
        Fixtures.numbers(10),
        new OperatorSpec.Sink(new StuckInClose(Fixtures.share(entered))));
    TestRun run = TestRun.start(program.build(), host);
    run.await("both close", () -> entered.get() == 2);
    run.cancel();
    run.awaitEnd();
    assertThat(run.violations()).isEmpty();
    assertThat(run.failures()).isEmpty();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(2);
  }

  @Test
  void cancelsAFunctionThatEmitsForEver() {
    for (boolean chained : List.of(true, false)) {
      TestJobGraph program = new TestJobGraph();
      OperatorSpec endless =
          new OperatorSpec.FlatMap(
              (record, out) -> {
                while (true) {
                  out.emit(record);
                }
              });
      if (chained) {
        program.vertex("endless", 1, Fixtures.numbers(1), endless, Fixtures.discard());
      } else {
        JobVertex source = program.vertex("endless", 1, Fixtures.numbers(1), endless);
        JobVertex sink = program.vertex("sink", 1, Fixtures.discard());
        program.edge(source, sink, Partitioning.REBALANCE);
      }
      cancelled(program);
    }
  }

  @Test
  void cancelsAJobThatIsBackPressured() {
    CountDownLatch never = new CountDownLatch(1);
    String name = Fixtures.share(never);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("s", 2, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex stuck =
        program.vertex(
            "stuck",
            2,
            new OperatorSpec.Map(
                record -> {
                  Fixtures.shared(name, CountDownLatch.class).await();
                  return record;
                }),
            Fixtures.discard());
    program.edge(source, stuck, Partitioning.BROADCAST);
    cancelled(program);
  }

  @Test
  @Behaviour("F5: a blocking function does not delay other jobs, and idle tasks do not run")
  void blockedUserCodeDoesNotStopOtherJobs() {
    CountDownLatch gate = new CountDownLatch(1);
    String name = Fixtures.share(gate);
    TestJobGraph blocking = new TestJobGraph();
    blocking.vertex(
        "blocked",
        6,
        Fixtures.numbers(6),
        new OperatorSpec.Map(
            record -> {
              Fixtures.shared(name, CountDownLatch.class).await();
              return record;
            }),
        Fixtures.collect());
    TestRun blocked = TestRun.start(blocking.build(), host);

    TestJobGraph other = new TestJobGraph();
    JobVertex source = other.vertex("source", 2, Fixtures.numbers(50_000));
    JobVertex sink = other.vertex("sink", 2, Fixtures.collect());
    other.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    TestRun passed = TestRun.start(other.build(), host).awaitEnd();

    assertThat(passed.collected()).hasSize(50_000);
    assertThat(blocked.collected()).isEmpty();
    gate.countDown();
    blocked.awaitEnd();
    assertThat(blocked.collected()).hasSize(6);
  }

  @Test
  void aFailureNamesOperatorAndSubtaskAndOthersStallUntilCancelled() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex parse =
        program.vertex(
            "parse",
            2,
            new OperatorSpec.Map(record -> Integer.parseInt("x" + (((Long) record) & 0))),
            Fixtures.discard());
    program.edge(source, parse, Partitioning.REBALANCE);
    TestRun run = TestRun.start(program.build(), host);

    run.await("both failed", () -> run.count(TaskState.FAILED) == 2);
    Failure failure = run.failures().get(0);
    assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
    assertThat(failure.type()).isEqualTo(NumberFormatException.class.getName());
    assertThat(failure.message())
        .contains("'parse-Map'", "'parse' (", "/2, attempt 0)", "For input string: \"x0\"");
    assertThat(failure.stack()).contains("StoppingTest");
    assertThat(run.count(TaskState.RUNNING)).isEqualTo(1);

    run.cancel();
    run.awaitEnd();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(1);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void userCodeCannotHideAFailureDownstream() {
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "hides",
        1,
        Fixtures.numbers(10),
        new OperatorSpec.FlatMap(
            (record, out) -> {
              try {
                out.emit(record);
              } catch (RuntimeException e) {
                // What the test is about.
                assertThat(e).isNotNull();
              }
            }),
        new OperatorSpec.Map(
            record -> {
              throw new IllegalStateException("no");
            }),
        Fixtures.discard());
    TestRun run = TestRun.start(program.build(), host).awaitEnd();
    assertThat(run.failures()).hasSize(1);
    assertThat(run.failures().get(0).message()).contains("hides-Map", "no");
  }

  @Test
  void aFunctionThatCannotBeOpenedFailsTheTask() {
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "broken",
        1,
        Fixtures.numbers(1),
        new OperatorSpec.Sink(
            context -> {
              throw new java.io.IOException("disk full");
            }));
    TestRun run = TestRun.start(program.build(), host).awaitEnd();
    assertThat(run.count(TaskState.FAILED)).isEqualTo(1);
    assertThat(run.failures().get(0).message()).contains("broken-Sink", "disk full");
  }

  @Test
  void aKeyWithoutAStableHashIsRefused() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex(
            "source", 1, Fixtures.numbers(1), new OperatorSpec.Map(record -> new Object()));
    JobVertex sink = program.vertex("sink", 1, Fixtures.discard());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    TestRun run = TestRun.start(program.build(), host);
    run.await("failed", () -> run.count(TaskState.FAILED) == 1);
    assertThat(run.failures().get(0).message()).contains("java.lang.Object");
    run.cancel();
    run.awaitEnd();
  }

  /** Writes down what happens to it. */
  record Journal(String events) implements Sink<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Object> createWriter(SinkContext context) {
      @SuppressWarnings("unchecked")
      ConcurrentLinkedQueue<String> journal = Fixtures.shared(events, ConcurrentLinkedQueue.class);
      journal.add("open");
      return new SinkWriter<>() {
        @Override
        public void write(Object record) {
          if (record.equals(13L)) {
            throw new IllegalArgumentException("13");
          }
          journal.add("write");
        }

        @Override
        public void flush(boolean endOfInput) {
          journal.add(endOfInput ? "end" : "flush");
        }

        @Override
        public void close() {
          journal.add("close");
        }
      };
    }
  }

  private ConcurrentLinkedQueue<String> journalOf(long records) {
    ConcurrentLinkedQueue<String> journal = new ConcurrentLinkedQueue<>();
    TestJobGraph program = new TestJobGraph();
    program.vertex(
        "writes",
        1,
        Fixtures.numbers(records),
        new OperatorSpec.Sink(new Journal(Fixtures.share(journal))));
    TestRun.start(program.build(), host).awaitEnd();
    return journal;
  }

  @Test
  void flushesAndThenClosesWriters() {
    assertThat(journalOf(2)).containsExactly("open", "write", "write", "end", "close");
  }

  @Test
  void closesWritersWithoutFlushingThemOnFailure() {
    ConcurrentLinkedQueue<String> journal = journalOf(20);
    assertThat(journal).doesNotContain("end").endsWith("close");
  }

  @Test
  void thousandsOfIdleTasksStartAndEndQuickly() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex("s", 2000, new OperatorSpec.Source(new Fixtures.IdleSource()));
    JobVertex sink = program.vertex("d", 2000, Fixtures.discard());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    cancelled(program);
  }

  @Test
  void refusesTheSameDeploymentTwice() {
    TestJobGraph program = new TestJobGraph();
    program.vertex("s", 1, new OperatorSpec.Source(new Fixtures.IdleSource()));
    TestRun run = TestRun.start(program.build(), host).awaitRunning();
    run.deploy(1, subtask -> 0);
    run.await("refused", () -> run.count(TaskState.FAILED) == 1);
    assertThat(run.failures().get(0).kind()).isEqualTo(ErrorKind.BUG);
    run.cancel();
    run.awaitEnd();
  }
}
