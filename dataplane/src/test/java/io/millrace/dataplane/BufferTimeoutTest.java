package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** When records leave a task that could still fill its batch. */
class BufferTimeoutTest {
  private static Configuration interval(String value) {
    return Configuration.EMPTY.with(ExecutionOptions.BUFFER_TIMEOUT.key(), value);
  }

  private static Configuration never() {
    return Configuration.EMPTY.with(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
  }

  /** Emits what the test puts into a queue, and wakes up when it is told. */
  private record Fed(String queue, String context) implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    @SuppressWarnings("unchecked") // What the test put there.
    public PollingReader<Object> open(SourceContext opened) {
      Fixtures.shared(context, AtomicReference.class).set(opened);
      Queue<Object> records = Fixtures.shared(queue, Queue.class);
      return new PollingReader<>() {
        @Override
        public Status poll(SourceOutput<Object> out, int limit) {
          Object record = records.poll();
          if (record == null) {
            return Status.WAIT;
          }
          if (record.equals("end")) {
            return Status.END;
          }
          out.emit(record);
          return Status.MORE;
        }
      };
    }
  }

  private final Queue<Object> feed = new ConcurrentLinkedQueue<>();
  private final AtomicReference<SourceContext> context = new AtomicReference<>();

  private void feed(Object... records) {
    feed.addAll(java.util.List.of(records));
    context.get().wake();
  }

  private TestRun start(Configuration configuration, DataPlane plane) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source =
        program.vertex(
            "source",
            1,
            new OperatorSpec.Source(new Fed(Fixtures.share(feed), Fixtures.share(context))));
    JobVertex sink = program.vertex("sink", 1, Fixtures.collect());
    program.edge(source, sink, Partitioning.REBALANCE);
    JobGraph graph = program.build();
    return TestRun.start(
            new JobGraph(
                graph.id(),
                graph.name(),
                graph.type(),
                graph.vertices(),
                graph.edges(),
                graph.jars(),
                configuration),
            plane)
        .awaitRunning();
  }

  private long sent(TestRun run, DataPlane plane) {
    return plane.counters(run.job()).stream().mapToLong(counters -> counters.recordsOut()).sum();
  }

  private long idle(TestRun run, DataPlane plane) {
    return plane.counters(run.job()).stream()
        .mapToLong(counters -> counters.idleMillis())
        .min()
        .orElseThrow();
  }

  /** The source has taken everything and then had nothing to do for a while. */
  private void awaitIdle(TestRun run, DataPlane plane) {
    run.await("everything is taken", feed::isEmpty);
    long before = idle(run, plane);
    run.await("the source is idle", () -> idle(run, plane) > before + 20);
  }

  @Test
  @Behaviour("H2: a batch leaves after the buffer time-out, or when it is full or its task is idle")
  void recordsWaitForAFullBatchWhereTheTimeoutIsDisabled() {
    try (DataPlane plane = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = start(never(), plane);
      feed("a", "b", "c");
      awaitIdle(run, plane);
      assertThat(sent(run, plane)).isZero();
      feed("d", "end");
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected()).containsExactly("a", "b", "c", "d");
    }
  }

  @Test
  @Behaviour("H2: a batch leaves after the buffer time-out, or when it is full or its task is idle")
  void recordsGoAtOnceWhereNothingIsSaid() {
    try (DataPlane plane = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = start(Configuration.EMPTY, plane);
      feed("a");
      run.await("it is there", () -> run.collected().size() == 1);
      feed("b", "end");
      run.awaitEnd();
      assertThat(run.collected()).containsExactly("a", "b");
    }
  }

  @Test
  @Behaviour("H2: a batch leaves after the buffer time-out, or when it is full or its task is idle")
  void everyRecordIsABatchWhereTheTimeoutIsZero() {
    try (DataPlane plane = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = start(interval("0"), plane);
      feed("a", "b", "c");
      run.await("they are there", () -> run.collected().size() == 3);
      feed("end");
      run.awaitEnd();
      assertThat(run.collected()).containsExactly("a", "b", "c");
    }
  }

  @Test
  @Behaviour("H2: a batch leaves after the buffer time-out, or when it is full or its task is idle")
  void recordsWaitForTheirTimeAndNoLonger() {
    try (DataPlane plane = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = start(interval("300 ms"), plane);
      for (int round = 1; round <= 3; round++) {
        int sum = 2 * round;
        long begun = System.nanoTime();
        feed("a", "b");
        run.await("they are there", () -> run.collected().size() == sum);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
            .isGreaterThanOrEqualTo(Duration.ofMillis(300));
      }
      run.cancel();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
  }
}
