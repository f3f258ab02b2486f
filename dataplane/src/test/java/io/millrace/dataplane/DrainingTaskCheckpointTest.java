package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checkpoints of tasks that have ended and whose last records wait for room: the records are in the
 * checkpoint, and nothing emits them again.
 */
class DrainingTaskCheckpointTest {
  private static final int SPLITS = 2;

  /** The channel takes eight batches of 512 records; the last batch of the source waits. */
  private static final int EVENTS = 2_300;

  @TempDir Path directory;

  private record Part(int number) implements SourceSplit {
    @Override
    public String splitId() {
      return String.valueOf(number);
    }
  }

  /**
   * Emits all records of a split in one call, which never yields.
   *
   * @param emitted the shared flag that all records are emitted
   */
  private record AtOnce(String emitted) implements Source<Event, Part> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public List<Part> initialSplits(SourceContext context) {
      List<Part> parts = new ArrayList<>();
      for (int part = context.subtask(); part < SPLITS; part += context.parallelism()) {
        parts.add(new Part(part));
      }
      return parts;
    }

    @Override
    public SourceReader<Event, Part> createReader(SourceContext context) {
      return new SourceReader<>() {
        private final List<Part> unread = new ArrayList<>();

        @Override
        public void addSplits(List<Part> splits) {
          unread.addAll(splits);
        }

        @Override
        public List<Part> snapshot(long checkpoint) {
          return List.copyOf(unread);
        }

        @Override
        public Status poll(SourceOutput<Event> out, int most) {
          if (unread.isEmpty()) {
            return Status.END;
          }
          int part = unread.remove(0).number();
          for (int i = 0; i < EVENTS; i++) {
            out.emit(new Event(part * EVENTS + i, (long) (i % 97), i, RandomEvents.NO_WATERMARK));
          }
          if (!unread.isEmpty()) {
            return Status.MORE;
          }
          Fixtures.shared(emitted, AtomicBoolean.class).set(true);
          return Status.END;
        }
      };
    }
  }

  private static JobGraph graph(
      Replay results, Brake brake, AtomicBoolean emitted, int parallelism) {
    AtOnce source = new AtOnce(Fixtures.share(emitted));
    return ProgramGraphs.graph(
        env -> {
          env.parallelism(parallelism).maxParallelism(16);
          env.fromSource(source, RandomEvents.within(0), "events")
              .keyBy(Event::key)
              .reduce((left, right) -> right)
              .map(brake.function())
              .map(event -> "event " + event.id())
              .sinkTo(results.sink());
        });
  }

  private CheckpointRequest request(long number) throws IOException {
    return new CheckpointRequest(
        number,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        Barriers.UNALIGNED,
        Files.createDirectories(directory.resolve("chk-" + number)).toString(),
        directory.toString(),
        1000);
  }

  /** Whether a task that had ended had records in its outputs. */
  private static boolean hasOutputOfAnEndedTask(TestRun run, long number) {
    return run.snapshots(number).values().stream()
        .anyMatch(
            snapshot ->
                snapshot.finished()
                    && snapshot.inFlight().stream().anyMatch(records -> !records.input()));
  }

  /**
   * Takes checkpoints of one run until a task that has ended has records in its outputs. None if
   * the run ended before.
   */
  private Optional<StateAssignment> checkpointWhileDraining(Replay results, Brake brake)
      throws IOException {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      AtomicBoolean emitted = new AtomicBoolean();
      TestRun run = TestRun.start(graph(results, brake, emitted, 1), host).awaitRunning();
      // From then on nothing but a permit lets the last batch leave the source.
      run.await(
          "all records are emitted",
          () -> {
            brake.permitWaiting(8);
            return emitted.get();
          });
      Optional<StateAssignment> state = Optional.empty();
      for (long number = 1; state.isEmpty() && !run.hasEnded(); number++) {
        CheckpointRequest request = request(number);
        long taken = number;
        run.trigger(request);
        run.await(
            "an answer to checkpoint " + number,
            () -> {
              // A task takes its snapshot between two records.
              brake.permitWaiting(1);
              return run.isStored(taken)
                  || !run.snapshotFailures(taken).isEmpty()
                  || run.hasEnded();
            });
        if (run.isStored(number) && hasOutputOfAnEndedTask(run, number)) {
          state = Optional.of(run.assignment(request));
        } else if (run.isStored(number)) {
          run.complete(number);
        } else {
          run.abort(number);
        }
      }
      assertThat(run.failures()).isEmpty();
      assertThat(run.violations()).isEmpty();
      for (TaskSnapshot snapshot : run.snapshots(run.snapshotAttempts()).values()) {
        assertThat(snapshot.finished() && !snapshot.operators().isEmpty())
            .as("a task that has ended has no state")
            .isFalse();
      }
      return state;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  @Behaviour(
      "H4: a job that is killed goes on from an unaligned checkpoint as if nothing had happened")
  void lastRecordsOfATaskAreInTheCheckpoint(int later) throws IOException {
    Replay results = new Replay(1, 1, 0);
    Brake brake = new Brake();
    Optional<StateAssignment> state = checkpointWhileDraining(results, brake);
    for (int run = 2; state.isEmpty(); run++) {
      assertThat(run).as("runs without such a checkpoint").isLessThan(100);
      results = new Replay(1, 1, 0);
      brake = new Brake();
      state = checkpointWhileDraining(results, brake);
    }
    assertThat(results.resultCount()).isLessThan(SPLITS * EVENTS);
    brake.open();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.of(graph(results, brake, new AtomicBoolean(), later), host)
              .restoring(state.get())
              .deploy(2, subtask -> 0)
              .awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    assertThat(results.results())
        .containsExactlyElementsOf(
            IntStream.range(0, SPLITS * EVENTS).mapToObj(id -> "event " + id).sorted().toList());
  }
}
