package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskListener;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watermarks of a source whose reader reads several splits side by side. */
class SplitWatermarksTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));
  private final Script script = new Script();

  @AfterEach
  void close() {
    host.close();
  }

  record Lane(String splitId) implements SourceSplit {}

  /** What a reader does, step by step. */
  private static final class Script {
    final String name = Fixtures.share(this);
    final Queue<Consumer<SourceOutput<Long>>> steps = new ConcurrentLinkedQueue<>();
    volatile Set<String> paused = Set.of();
    private volatile SourceContext reader;

    void does(Consumer<SourceOutput<Long>> step) {
      steps.add(step);
      if (reader != null) {
        reader.wake();
      }
    }

    void emits(String split, long time) {
      does(
          out -> {
            out.split(split);
            out.emit(time);
          });
    }
  }

  private record Scripted(String script) implements Source<Long, Lane> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public List<Lane> initialSplits(SourceContext context) {
      return List.of(new Lane("a"), new Lane("b"));
    }

    @Override
    public SourceReader<Long, Lane> createReader(SourceContext context) {
      Script shared = Fixtures.shared(script, Script.class);
      shared.reader = context;
      return new SourceReader<>() {
        @Override
        public void addSplits(List<Lane> splits) {}

        @Override
        public List<Lane> snapshot(long checkpoint) {
          return List.of();
        }

        @Override
        public void pauseSplits(Set<String> splitIds) {
          shared.paused = splitIds;
        }

        @Override
        public Status poll(SourceOutput<Long> out, int limit) {
          Consumer<SourceOutput<Long>> step = shared.steps.poll();
          if (step == null) {
            return Status.WAIT;
          }
          step.accept(out);
          return Status.MORE;
        }
      };
    }
  }

  private JobGraph graph(WatermarkStrategy<Long> strategy) {
    return ProgramGraphs.graph(
        env -> {
          env.configure("pipeline.auto-watermark-interval", "1 ms");
          env.fromSource(new Scripted(script.name), strategy, "lanes").sinkTo(new DiscardSink<>());
        });
  }

  private TestRun start(WatermarkStrategy<Long> strategy) {
    return TestRun.start(graph(strategy), host).awaitRunning();
  }

  private static WatermarkStrategy<Long> byValue() {
    return WatermarkStrategy.forMonotonousTimestamps(number -> number);
  }

  private long watermark(TestRun run) {
    return host.counters(run.job()).stream()
        .map(TaskCounters::eventTime)
        .flatMap(eventTime -> eventTime.stream())
        .mapToLong(TaskEventTime::outputWatermark)
        .max()
        .orElse(TaskEventTime.NO_WATERMARK);
  }

  private void awaitWatermark(TestRun run, long expected) {
    run.await("watermark " + expected, () -> watermark(run) == expected);
  }

  @Test
  @Behaviour("H1: the lowest watermark of the splits of a reader counts")
  void theLowestSplitCounts() {
    TestRun run = start(byValue());
    script.emits("a", 100);
    script.emits("b", 50);
    awaitWatermark(run, 49);
    script.emits("a", 200);
    script.emits("b", 150);
    awaitWatermark(run, 149);
    script.does(out -> out.splitFinished("b"));
    awaitWatermark(run, 199);
    script.does(out -> out.splitFinished("a"));
    assertThat(watermark(run)).isEqualTo(199);
    assertThat(run.failures()).isEmpty();
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void aSplitThatWasNotReadYetHoldsEventTimeBack() {
    TestRun run = start(byValue());
    script.emits("a", 100);
    script.does(out -> out.splitFinished("a"));
    script.emits("b", 10);
    // Split b alone decides: what a had reached was never emitted.
    awaitWatermark(run, 9);
    run.cancel();
    run.awaitEnd();
  }

  @Test
  @Behaviour("H1: a split without records for some time does not hold event time back")
  void anIdleSplitHoldsNothingBack() {
    TestRun run = start(byValue().withIdleness(Duration.ofMillis(20)));
    script.emits("a", 100);
    awaitWatermark(run, 99);
    script.emits("b", 300);
    awaitWatermark(run, 299);
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void recordsWithoutASplitAreOneSequence() {
    TestRun run = start(byValue());
    script.does(out -> out.emit(100L));
    awaitWatermark(run, 99);
    script.does(out -> out.emit(200L));
    awaitWatermark(run, 199);
    run.cancel();
    run.awaitEnd();
  }

  /** Answers reports of watermarks as a JobMaster does whose lowest watermark the test decides. */
  private static final class Group {
    final List<Long> reported = new CopyOnWriteArrayList<>();
    volatile long lowest = Long.MIN_VALUE;

    TaskListener between(TaskListener run) {
      return (TaskListener)
          Proxy.newProxyInstance(
              TaskListener.class.getClassLoader(),
              new Class<?>[] {TaskListener.class},
              (proxy, method, arguments) -> {
                if (!method.getName().equals("alignWatermark")) {
                  return method.invoke(run, arguments);
                }
                reported.add((Long) arguments[2]);
                ((LongConsumer) arguments[3]).accept(lowest);
                return null;
              });
    }
  }

  @Test
  @Behaviour("H1: sources of an alignment group wait for the lowest watermark of the group")
  void aSourceThatIsAheadOfItsGroupWaits() {
    Group group = new Group();
    group.lowest = 0;
    JobGraph graph =
        graph(
            byValue()
                .withWatermarkAlignment("group", Duration.ofMillis(100), Duration.ofMillis(1)));
    TestRun run =
        TestRun.of(graph, host)
            .listeningThrough(group::between)
            .deploy(1, subtask -> 0)
            .awaitRunning();
    script.does(out -> out.emit(50L));
    awaitWatermark(run, 49);
    script.does(out -> out.emit(500L));
    awaitWatermark(run, 499);
    script.does(out -> out.emit(600L));
    run.await("the watermark is reported", () -> group.reported.contains(499L));
    int reports = group.reported.size();
    run.await("it is reported again", () -> group.reported.size() > reports + 5);
    assertThat(script.steps).as("the reader is not polled").hasSize(1);
    group.lowest = 450;
    awaitWatermark(run, 599);
    run.cancel();
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
  }

  @Test
  void splitsThatAreAheadOfTheirGroupArePaused() {
    Group group = new Group();
    group.lowest = 0;
    JobGraph graph =
        graph(
            byValue()
                .withWatermarkAlignment("group", Duration.ofMillis(100), Duration.ofMillis(1)));
    TestRun run =
        TestRun.of(graph, host)
            .listeningThrough(group::between)
            .deploy(1, subtask -> 0)
            .awaitRunning();
    script.emits("a", 500);
    script.emits("b", 50);
    run.await("split a is paused", () -> script.paused.equals(Set.of("a")));
    group.lowest = 450;
    run.await("no split is paused", () -> script.paused.isEmpty());
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void alignmentNeedsTheTaskOfTheSource() {
    JobGraph graph =
        ProgramGraphs.graph(
            env ->
                env.fromSource(new Scripted(script.name), "lanes")
                    .rebalance()
                    .assignTimestampsAndWatermarks(
                        byValue().withWatermarkAlignment("group", Duration.ofMillis(100)))
                    .sinkTo(new DiscardSink<>()));
    TestRun run = TestRun.start(graph, host);
    run.await("a task fails", () -> !run.failures().isEmpty());
    assertThat(run.failures().get(0).message()).contains("Give it to fromSource");
    run.cancel();
    run.awaitEnd();
  }

  @Test
  void aSplitThatTheReaderDoesNotHaveIsAnError() {
    TestRun run = start(byValue());
    script.emits("c", 100);
    run.await("the task fails", () -> !run.failures().isEmpty());
    assertThat(run.failures().get(0).message()).contains("split 'c', which it does not have");
    run.cancel();
    run.awaitEnd();
  }
}
