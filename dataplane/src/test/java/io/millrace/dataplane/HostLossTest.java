package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HostLossTest {
  private static DataPlane host(String secret) {
    return new DataPlane(
        DataPlaneSettings.listening(
            2,
            new DataPort(
                "127.0.0.1",
                BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(0)),
                "127.0.0.1",
                Bytes.utf8(secret),
                Optional.empty(),
                new ConnectionTimeouts(
                    Duration.ofMillis(500), Duration.ofSeconds(10), Duration.ofSeconds(50)),
                new NetworkMemory(1 << 20, 4096))));
  }

  /** An endless stream from two sources to two sinks, each crossing to the other host, too. */
  private static TestJobGraph crossing(AtomicLong written) {
    String name = Fixtures.share(written);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex sink =
        program.vertex(
            "sink",
            2,
            new OperatorSpec.Sink(
                context -> record -> Fixtures.shared(name, AtomicLong.class).incrementAndGet()));
    program.edge(source, sink, Partitioning.REBALANCE);
    return program;
  }

  @Test
  void tasksFailWhenTheHostTheyExchangeWithGoesAway() {
    AtomicLong written = new AtomicLong();
    try (DataPlane stays = host("a")) {
      String gone;
      TestRun run;
      try (DataPlane goes = host("a")) {
        gone = goes.dataAddress();
        run = TestRun.start(crossing(written).build(), stays, goes);
        run.await("records flow", () -> written.get() > 100_000);
      }
      run.awaitEnd();

      assertThat(run.violations()).isEmpty();
      List<Failure> failures = run.failures();
      assertThat(failures).hasSize(2);
      assertThat(failures)
          .allSatisfy(
              failure -> {
                assertThat(failure.kind()).isEqualTo(ErrorKind.EXTERNAL);
                assertThat(failure.message()).contains(gone).contains("broke");
              });
    }
  }

  @Test
  void failureFromOutsideIsToldBeforeTheFunctionComesBack() {
    AtomicBoolean entered = new AtomicBoolean();
    AtomicBoolean released = new AtomicBoolean();
    String count = Fixtures.share(new AtomicLong());
    String entry = Fixtures.share(entered);
    String release = Fixtures.share(released);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex sink =
        program.vertex(
            "sink",
            2,
            new OperatorSpec.Sink(
                context ->
                    record -> {
                      long before = Fixtures.shared(count, AtomicLong.class).getAndIncrement();
                      // By then records cross between the hosts.
                      if (context.subtask() == 0 && before > 100_000) {
                        Fixtures.shared(entry, AtomicBoolean.class).set(true);
                        while (!Fixtures.shared(release, AtomicBoolean.class).get()) {
                          Thread.onSpinWait();
                        }
                      }
                    }));
    program.edge(source, sink, Partitioning.REBALANCE);
    try (DataPlane stays = host("a")) {
      TestRun run;
      try (DataPlane goes = host("a")) {
        run = TestRun.start(program.build(), stays, goes);
        run.await("the function hangs", entered::get);
      }
      run.await("source and sink have failed", () -> run.failing() == 2);
      run.await("the source has ended", () -> run.failures().size() == 1);
      released.set(true);
      run.awaitEnd();
      assertThat(run.failures()).hasSize(2);
      assertThat(run.violations()).isEmpty();
    }
  }

  @Test
  void aJobThatIsDoneDoesNotMindThatTheProducersHostGoesAway() {
    try (DataPlane stays = host("a")) {
      TestRun run;
      try (DataPlane goes = host("a")) {
        TestJobGraph program = new TestJobGraph();
        JobVertex source = program.vertex("source", 2, Fixtures.numbers(1000));
        JobVertex sink = program.vertex("sink", 2, Fixtures.collect());
        program.edge(source, sink, Partitioning.REBALANCE);
        run = TestRun.start(program.build(), stays, goes).awaitEnd();
      }
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected()).hasSize(1000);
    }
  }

  @Test
  void hostsOfDifferentClustersDoNotExchange() {
    try (DataPlane first = host("a");
        DataPlane second = host("b")) {
      TestRun run = TestRun.start(crossing(new AtomicLong()).build(), first, second);
      run.await("sources failed", () -> run.count(TaskState.FAILED) >= 2);
      assertThat(run.failures().get(0).message()).contains("cluster secret");
      run.cancel();
      run.awaitEnd();
    }
  }

  @Test
  @Behaviour("H2: late consumers are waited for, and missing ones fail their producers")
  void producersFailWhenTheirConsumersNeverCome() {
    try (DataPlane first = host("a");
        DataPlane second = host("a")) {
      TestRun run =
          TestRun.of(crossing(new AtomicLong()).build(), first, second)
              .plan(9, subtask -> subtask % 2)
              .deployAt(first);
      run.await("source failed", () -> run.count(TaskState.FAILED) == 1);
      assertThat(run.failures().get(0).message())
          .contains(second.dataAddress(), "deployment 9", "did not start there");
      run.cancel();
    }
  }

  @Test
  @Behaviour("H2: late consumers are waited for, and missing ones fail their producers")
  void lateConsumersAreWaitedFor() {
    try (DataPlane first = host("a");
        DataPlane second = host("a")) {
      TestJobGraph program = new TestJobGraph();
      JobVertex source = program.vertex("source", 2, Fixtures.numbers(5000));
      JobVertex sink = program.vertex("sink", 2, Fixtures.collect());
      program.edge(source, sink, Partitioning.REBALANCE);
      TestRun run = TestRun.of(program.build(), first, second);
      TestRun.Planned planned = run.plan(4, subtask -> subtask % 2);
      planned.deployAt(first);
      run.await(
          "the first host waits",
          () ->
              first.counters(run.job()).stream()
                  .anyMatch(counters -> counters.backPressuredMillis() > 50));
      planned.deployAt(second);
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected()).hasSize(5000);
    }
  }
}
