package io.millrace.api.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.MemorySize;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job with random failures, restarts and changes of its parallelism writes each record to exactly
 * one part. A failure of the test shows its seed.
 */
class RandomFailuresOfTextFileSinkTest {
  /** Few, because each part reaches the disk. */
  private static final int SEEDS = 12;

  private static final int RECORDS = 40;

  @TempDir Path parent;

  /** What the last completed checkpoint has. */
  private record Checkpoint(int position, List<PartNumber> numbers, List<FileCommit> commits) {}

  /** A job that reads the numbers from 0 on and writes them to the sink. */
  private static final class Job {
    private final Random random;
    private final TextFileSink<Object> sink;
    private final boolean checkpointing;
    private final AtomicLong clock = new AtomicLong();
    private final Committer<FileCommit> committer;
    private List<TextFileWriter<Object>> writers = List.of();
    private Checkpoint completed = null;
    private int position;
    private int attempt = -1;

    /** Prepared for checkpoints that were given up; the next completed one has them. */
    private List<FileCommit> prepared = new ArrayList<>();

    Job(Random random, TextFileSink<Object> sink, boolean checkpointing) {
      this.random = random;
      this.sink = sink;
      this.checkpointing = checkpointing;
      this.committer = sink.createCommitter(TestSinkContext.of(0, 1));
    }

    void start() throws Exception {
      attempt++;
      int parallelism = 1 + random.nextInt(4);
      writers = new ArrayList<>();
      prepared = new ArrayList<>();
      position = completed == null ? 0 : completed.position();
      boolean commitsFirst = random.nextBoolean();
      if (completed != null && commitsFirst) {
        committer.commit(completed.commits());
      }
      for (int subtask = 0; subtask < parallelism; subtask++) {
        TestSinkContext context =
            new TestSinkContext(
                subtask, parallelism, attempt, completed != null, checkpointing, clock);
        writers.add(
            completed == null
                ? sink.createWriter(context)
                : sink.restoreWriter(context, completed.numbers()));
      }
      if (completed != null && !commitsFirst) {
        committer.commit(completed.commits());
      }
    }

    void write() throws IOException {
      clock.addAndGet(random.nextInt(100));
      writers.get(random.nextInt(writers.size())).write(position++);
    }

    /** Prepares a checkpoint, which may be given up. */
    private Checkpoint prepare(boolean endOfInput) throws IOException {
      List<PartNumber> numbers = new ArrayList<>();
      for (TextFileWriter<Object> writer : writers) {
        writer.flush(endOfInput);
        prepared.addAll(writer.prepareCommit());
        numbers.addAll(writer.snapshot(1));
      }
      return new Checkpoint(position, numbers, List.copyOf(prepared));
    }

    /** The process may die at any of these points. Returns whether it lives. */
    boolean checkpoint(boolean endOfInput) throws Exception {
      Checkpoint next = prepare(endOfInput);
      if (random.nextInt(4) == 0) {
        return random.nextBoolean();
      }
      if (checkpointing) {
        completed = next;
      }
      return commit(next.commits());
    }

    private boolean commit(List<FileCommit> commits) throws Exception {
      boolean dies = random.nextInt(4) == 0;
      int executed = dies ? random.nextInt(commits.size() + 1) : commits.size();
      committer.commit(commits.subList(0, executed));
      if (!dies) {
        prepared.clear();
      }
      return !dies;
    }

    /** A task that fails closes its writer, a process that is killed does not. */
    void die() throws IOException {
      boolean killed = random.nextBoolean();
      for (TextFileWriter<Object> writer : writers) {
        if (!killed) {
          writer.close();
        }
      }
    }

    /** An attempt that was given up starts late and writes, until its process hears of it. */
    void startLate() throws IOException {
      TestSinkContext context =
          new TestSinkContext(
              random.nextInt(writers.size()),
              writers.size(),
              attempt - 1,
              completed != null,
              true,
              clock);
      TextFileWriter<Object> late =
          completed == null
              ? sink.createWriter(context)
              : sink.restoreWriter(context, completed.numbers());
      for (int i = random.nextInt(5); i > 0; i--) {
        late.write("late");
      }
      if (random.nextBoolean()) {
        late.flush(false);
        late.prepareCommit();
      }
      if (random.nextBoolean()) {
        late.close();
      }
    }

    void end() throws IOException {
      for (TextFileWriter<Object> writer : writers) {
        writer.close();
      }
    }
  }

  private static void run(Job job) throws Exception {
    job.start();
    while (true) {
      boolean alive = true;
      if (job.position < RECORDS) {
        int kind = job.random.nextInt(20);
        if (kind == 0) {
          alive = false;
        } else if (kind == 19 && job.checkpointing && job.attempt > 1) {
          job.startLate();
        } else if (kind < 3 && job.checkpointing) {
          alive = job.checkpoint(false);
        } else {
          job.write();
        }
      } else {
        int before = job.position;
        Checkpoint last = job.prepare(true);
        if (job.checkpointing) {
          job.completed = last;
        }
        alive = job.commit(last.commits());
        if (alive) {
          assertThat(before).isEqualTo(RECORDS);
          job.end();
          return;
        }
      }
      if (!alive) {
        job.die();
        job.start();
      }
    }
  }

  private static List<Integer> records(Path directory) throws IOException {
    List<Integer> records = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        if (!file.getFileName().toString().startsWith(".")) {
          for (String line : Files.readAllLines(file)) {
            records.add(Integer.valueOf(line));
          }
        }
      }
    }
    return records;
  }

  private void writesEachRecordOnce(boolean checkpointing) throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      Path directory = parent.resolve("seed-" + seed);
      TextFileSink<Object> sink = TextFileSink.to(directory.toString());
      if (seed % 3 == 1) {
        sink = sink.rollAt(new MemorySize(10));
      }

      run(new Job(new Random(seed), sink, checkpointing));

      assertThat(records(directory))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(IntStream.range(0, RECORDS).boxed().toList());
    }
  }

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void eachRecordIsInOnePartWithCheckpoints() throws Exception {
    writesEachRecordOnce(true);
  }

  @Test
  void eachRecordIsInOnePartWithoutCheckpoints() throws Exception {
    writesEachRecordOnce(false);
  }
}
