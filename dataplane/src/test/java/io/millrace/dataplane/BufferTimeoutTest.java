package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.MillraceException;
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
  private static final long SECOND = 1_000_000_000L;

  private static Configuration interval(String value) {
    return Configuration.EMPTY.with(Options.BUFFER_TIMEOUT.key(), value);
  }

  private static Configuration never() {
    return Configuration.EMPTY.with(Options.BUFFER_TIMEOUT_ENABLED, false);
  }

  @Test
  void adaptsWhereNothingIsSaid() {
    FlushPolicy flushing = FlushPolicy.of(Configuration.EMPTY);
    assertThat(flushing).isSameAs(FlushPolicy.ADAPTIVE);
    assertThat(flushing.largestBatch(512)).isEqualTo(512);
    assertThat(flushing.rest(0)).isZero();
  }

  @Test
  void zeroIsEveryRecord() {
    for (String zero : new String[] {"0", "0 ms", "0 s"}) {
      FlushPolicy flushing = FlushPolicy.of(interval(zero));
      assertThat(flushing.mode()).isEqualTo(FlushPolicy.Mode.EACH_RECORD);
      assertThat(flushing.largestBatch(512)).isEqualTo(1);
    }
  }

  @Test
  void anIntervalIsTheLongestTimeARecordWaits() {
    FlushPolicy flushing = FlushPolicy.of(interval("2 s"));
    assertThat(flushing.largestBatch(512)).isEqualTo(512);
    assertThat(flushing.rest(0)).isEqualTo(2 * SECOND);
    assertThat(flushing.rest(SECOND)).isEqualTo(SECOND);
    assertThat(flushing.rest(2 * SECOND)).isZero();
    assertThat(flushing.rest(9 * SECOND)).isNegative();
  }

  @Test
  void disabledIsOnlyWhenFullWhateverTheInterval() {
    FlushPolicy flushing =
        FlushPolicy.of(never().with(Options.BUFFER_TIMEOUT, Duration.ofMillis(1)));
    assertThat(flushing.mode()).isEqualTo(FlushPolicy.Mode.WHEN_FULL);
    assertThat(flushing.rest(1000 * SECOND)).isPositive();
  }

  @Test
  void refusesWhatIsNoDurationOrNegative() {
    for (String wrong : new String[] {"-1", "-1 ms", "soon", "5 parsecs", ""}) {
      assertThatThrownBy(() -> FlushPolicy.of(interval(wrong)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("execution.buffer-timeout.interval")
          .hasMessageContaining("takes at least 0 ms");
    }
    assertThatThrownBy(
            () ->
                FlushPolicy.of(
                    Configuration.EMPTY.with(Options.BUFFER_TIMEOUT_ENABLED.key(), "maybe")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("execution.buffer-timeout.enabled");
  }

  /** Emits what the test puts into a queue, and wakes up when it is told. */
  private record Fed(String queue, String context) implements Source<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    @SuppressWarnings("unchecked") // What the test put there.
    public SourceReader<Object> open(SourceContext opened) {
      Fixtures.shared(context, AtomicReference.class).set(opened);
      Queue<Object> records = Fixtures.shared(queue, Queue.class);
      return new SourceReader<>() {
        @Override
        public Status poll(Collector<Object> out, int limit) {
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

  private Run start(Configuration configuration, DataPlane plane) {
    Program program = new Program();
    JobVertex source =
        program.vertex(
            "source",
            1,
            new OperatorSpec.Source(new Fed(Fixtures.share(feed), Fixtures.share(context))));
    JobVertex sink = program.vertex("sink", 1, Fixtures.collect());
    program.edge(source, sink, Partitioning.REBALANCE);
    JobGraph graph = program.build();
    return Run.start(
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

  private long sent(Run run, DataPlane plane) {
    return plane.counters(run.job()).stream().mapToLong(counters -> counters.recordsOut()).sum();
  }

  private long idle(Run run, DataPlane plane) {
    return plane.counters(run.job()).stream()
        .mapToLong(counters -> counters.idleMillis())
        .min()
        .orElseThrow();
  }

  /** The source has taken everything and then had nothing to do for a while. */
  private void awaitIdle(Run run, DataPlane plane) {
    run.await("everything is taken", feed::isEmpty);
    long before = idle(run, plane);
    run.await("the source is idle", () -> idle(run, plane) > before + 20);
  }

  @Test
  @Behaviour("H2: a batch leaves after the buffer time-out, or when it is full or its task is idle")
  void recordsWaitForAFullBatchWhereTheTimeoutIsDisabled() {
    try (DataPlane plane = new DataPlane(DataPlaneSettings.inProcess(2))) {
      Run run = start(never(), plane);
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
      Run run = start(Configuration.EMPTY, plane);
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
      Run run = start(interval("0"), plane);
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
      Run run = start(interval("300 ms"), plane);
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
