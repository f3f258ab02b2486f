package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.serialization.Serializer;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** One key with hundreds of open sessions, because the watermark stays far behind. */
class ManySessionsTest {
  private static final int EVENTS = 1000;
  private static final int READ_BEFORE = 990;

  @TempDir Path directory;

  /** How often the contents of sessions were encoded and decoded. */
  private static final class Counts {
    final AtomicLong written = new AtomicLong();
    final AtomicLong read = new AtomicLong();
    final String name = Fixtures.share(this);

    /** Whether reads wait until their task is interrupted. */
    volatile boolean waiting;

    void reset() {
      written.set(0);
      read.set(0);
    }

    void read() {
      read.incrementAndGet();
      while (waiting && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  record Total(int count, long sum) {}

  private record CountingSerializer(String counts) implements Serializer<Total> {
    private static final long serialVersionUID = 1L;

    @Override
    public void write(Total total, DataOutput out) throws IOException {
      Fixtures.shared(counts, Counts.class).written.incrementAndGet();
      out.writeInt(total.count());
      out.writeLong(total.sum());
    }

    @Override
    public Total read(DataInput in) throws IOException {
      Fixtures.shared(counts, Counts.class).read();
      return new Total(in.readInt(), in.readLong());
    }
  }

  private static final class Totals implements AggregateFunction<Event, Total, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Total create() {
      return new Total(0, 0);
    }

    @Override
    public Total add(Total total, Event event) {
      return new Total(total.count() + 1, total.sum() + event.id());
    }

    @Override
    public String result(Total total) {
      return total.toString();
    }

    @Override
    public Total merge(Total left, Total right) {
      return new Total(left.count() + right.count(), left.sum() + right.sum());
    }
  }

  private static JobGraph graph(Replay replay, Counts counts, String backend) {
    JobGraph graph =
        CheckpointTest.graph(
            replay,
            (env, events) -> {
              env.registerSerializer(Total.class, new CountingSerializer(counts.name));
              return events
                  .keyBy(event -> "one")
                  .window(new WindowAssigner.Session(1, true))
                  .aggregate(new Totals(), new CheckpointTest.Window());
            },
            1,
            1_000_000);
    return graph.withConfiguration(graph.configuration().with(StateBackendOptions.TYPE, backend));
  }

  private static List<String> undisturbed() {
    Replay replay = new Replay(1, EVENTS, 0);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(graph(replay, new Counts(), StateBackendOptions.HASHMAP), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    return replay.results();
  }

  @TestFactory
  @Behaviour(
      "H4: the restore of a key with many sessions takes a time proportional to their number")
  Stream<DynamicTest> eachSessionIsEncodedAFewTimesOnly() {
    return Stream.of(StateBackendOptions.HASHMAP, "rocksdb")
        .map(backend -> DynamicTest.dynamicTest(backend, () -> check(backend)));
  }

  private void check(String backend) throws IOException {
    List<String> expected = undisturbed();
    int sessions = expected.size();
    assertThat(sessions).isGreaterThan(EVENTS / 2);
    Counts counts = new Counts();
    Replay replay = new Replay(1, EVENTS, 0);
    StateAssignment state = checkpoint(replay, counts, backend);
    // A record changes one session or merges a few, and a checkpoint has each of them once.
    long most = 4L * (Replay.SPLITS * EVENTS + sessions);
    assertThat(counts.written.get()).isBetween((long) sessions / 2, most);
    assertThat(counts.read.get()).isLessThan(most);

    counts.reset();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(replay, counts, backend), host);
      run.restoring(state);
      run.deploy(1, subtask -> 0).awaitRunning();
      assertThat(counts.read.get()).isBetween((long) sessions / 2, 4L * sessions);
      assertThat(counts.written.get()).isLessThan(4L * sessions);
      replay.allowAll();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    assertThat(replay.results()).isEqualTo(expected);
  }

  /** Reads most of the events and takes a checkpoint. */
  private StateAssignment checkpoint(Replay replay, Counts counts, String backend)
      throws IOException {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(replay, counts, backend), host);
      run.deploy(1, subtask -> 0).awaitRunning();
      replay.allow(READ_BEFORE);
      run.await("the events are read", () -> replay.eventsRead() == Replay.SPLITS * READ_BEFORE);
      CheckpointRequest request = request();
      run.trigger(request);
      run.await("the checkpoint is stored", () -> run.isStored(1));
      assertThat(run.failures()).isEmpty();
      return run.assignment(request);
    }
  }

  @TestFactory
  @Behaviour("H4: a task that is cancelled while it restores its state does not restore the rest")
  Stream<DynamicTest> cancelledTasksStopToRestore() {
    return Stream.of(StateBackendOptions.HASHMAP, "rocksdb")
        .map(backend -> DynamicTest.dynamicTest(backend, () -> cancel(backend)));
  }

  private void cancel(String backend) throws IOException {
    Counts counts = new Counts();
    Replay replay = new Replay(1, EVENTS, 0);
    StateAssignment state = checkpoint(replay, counts, backend);
    counts.reset();
    counts.waiting = true;
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(replay, counts, backend), host);
      run.restoring(state);
      run.deploy(1, subtask -> 0);
      run.await("the restore has begun", () -> counts.read.get() > 0);
      run.cancel();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    // The rest of its batch, which has 256 sessions at most.
    assertThat(counts.read.get()).isLessThanOrEqualTo(256);
  }

  private CheckpointRequest request() throws IOException {
    return new CheckpointRequest(
        1,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        Files.createTempDirectory(directory, "chk-").toString(),
        directory.toString(),
        100);
  }
}
