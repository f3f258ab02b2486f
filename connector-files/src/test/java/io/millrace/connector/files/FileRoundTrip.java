package io.millrace.connector.files;

import io.millrace.api.process.OutputTag;
import io.millrace.api.sink.Committer;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.fs.FileSystems;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Calls a sink or a source as the engine does, in the thread of the test: with checkpoints,
 * failures at random moments, and another parallelism after each of them.
 */
public final class FileRoundTrip {
  private static final int MOST_SUBTASKS = 4;

  private final Random random;
  private int failures;

  /** What a bounded source has emitted. */
  public record Read<T>(List<T> records, List<Object> sideOutput) {}

  public FileRoundTrip(Random random) {
    this.random = random;
  }

  /** How often the source or sink was restored so far, so that a test can tell that it was. */
  public int failures() {
    return failures;
  }

  private int parallelism() {
    return 1 + random.nextInt(MOST_SUBTASKS);
  }

  /** As for a task: it travels with the job. */
  @SuppressWarnings("unchecked")
  public static <F> F travelled(F value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (F) in.readObject();
    }
  }

  // --- sink

  private record SinkCheckpoint(
      int written, List<WriterNumber> numbers, List<PartCommit> commits) {}

  record Context(
      int subtask, int parallelism, int attempt, boolean isRestored, boolean isCheckpointing)
      implements SinkContext {
    @Override
    public long currentProcessingTime() {
      return 0;
    }

    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }
  }

  /** Writes all records, with failures. */
  public <T> void write(FileSink<T> sink, List<T> records) throws Exception {
    SinkCheckpoint last = null;
    int attempt = 0;
    while (true) {
      boolean mayFail = attempt < 3;
      List<BucketWriter<T>> writers = new ArrayList<>();
      int parallelism = parallelism();
      Committer<PartCommit> committer =
          sink.createCommitter(new Context(0, 1, attempt, last != null, true));
      if (last != null) {
        committer.commit(last.commits());
      }
      for (int i = 0; i < parallelism; i++) {
        Context context = new Context(i, parallelism, attempt, last != null, true);
        FileSink<T> copy = travelled(sink);
        writers.add(
            last == null
                ? copy.createWriter(context)
                : copy.restoreWriter(context, last.numbers()));
      }
      int written = last == null ? 0 : last.written();
      // Of checkpoints that were not completed.
      List<PartCommit> pending = new ArrayList<>();
      boolean failed = false;
      while (!failed && written < records.size()) {
        writers.get(random.nextInt(parallelism)).write(records.get(written++));
        if (random.nextInt(40) == 0) {
          List<WriterNumber> numbers = prepare(writers, pending, false);
          if (random.nextBoolean()) {
            last = new SinkCheckpoint(written, numbers, List.copyOf(pending));
            pending.clear();
            failed = mayFail && random.nextInt(3) == 0;
            if (!failed) {
              committer.commit(last.commits());
            }
          }
        }
        failed |= mayFail && random.nextInt(records.size()) == 0;
      }
      if (!failed) {
        prepare(writers, pending, true);
        committer.commit(pending);
      }
      // A killed process does not close its writers.
      if (!failed || random.nextBoolean()) {
        for (BucketWriter<T> writer : writers) {
          writer.close();
        }
      }
      if (!failed) {
        return;
      }
      failures++;
      attempt++;
    }
  }

  private static <T> List<WriterNumber> prepare(
      List<BucketWriter<T>> writers, List<PartCommit> pending, boolean endOfInput)
      throws Exception {
    List<WriterNumber> numbers = new ArrayList<>();
    for (BucketWriter<T> writer : writers) {
      writer.flush(endOfInput);
      pending.addAll(writer.prepareCommit());
      numbers.addAll(writer.snapshot(1));
    }
    return numbers;
  }

  // --- source

  private record SourceCheckpoint(
      List<FileEnumerator.Seen> enumerator,
      boolean enumerated,
      List<FileSplit> waiting,
      List<FileSplit> reading,
      int emitted,
      int side) {}

  /** Reads a bounded source to its end, with failures. */
  public <T> Read<T> read(FileSource<T> source) throws Exception {
    Read<T> out = new Read<>(new ArrayList<>(), new ArrayList<>());
    SourceCheckpoint last = new SourceCheckpoint(List.of(), false, List.of(), List.of(), 0, 0);
    for (int attempt = 0; ; attempt++) {
      if (attempt > 0) {
        failures++;
      }
      SourceAttempt<T> run = new SourceAttempt<>(source, parallelism(), last, out);
      boolean failed = false;
      while (!failed && !run.isRead()) {
        run.poll(random.nextInt(run.readers.size()), 1 + random.nextInt(20));
        if (random.nextInt(5) == 0) {
          last = run.checkpoint();
        }
        failed = attempt < 4 && random.nextInt(15) == 0;
      }
      run.close();
      if (!failed) {
        return out;
      }
      // What was emitted since the checkpoint never happened.
      out.records().subList(last.emitted(), out.records().size()).clear();
      out.sideOutput().subList(last.side(), out.sideOutput().size()).clear();
    }
  }

  /** Reads a bounded source to its end, without failures. */
  public static <T> Read<T> readOnce(FileSource<T> source, int parallelism) throws Exception {
    Read<T> out = new Read<>(new ArrayList<>(), new ArrayList<>());
    SourceAttempt<T> run =
        new SourceAttempt<>(
            source,
            parallelism,
            new SourceCheckpoint(List.of(), false, List.of(), List.of(), 0, 0),
            out);
    try {
      while (!run.isRead()) {
        for (int i = 0; i < parallelism; i++) {
          run.poll(i, 100);
        }
      }
    } finally {
      run.close();
    }
    return out;
  }

  private static final class SourceAttempt<T> {
    final List<SourceReader<T, FileSplit>> readers = new ArrayList<>();
    private final SplitEnumerator<FileSplit, FileEnumerator.Seen> enumerator;
    private final Deque<FileSplit> waiting;
    private final Read<T> out;
    private final boolean[] ended;
    private boolean enumerated;

    SourceAttempt(FileSource<T> original, int parallelism, SourceCheckpoint from, Read<T> out)
        throws Exception {
      FileSource<T> source = travelled(original);
      this.out = out;
      this.ended = new boolean[parallelism];
      this.enumerated = from.enumerated();
      this.waiting = new ArrayDeque<>(from.waiting());
      this.enumerator = source.restoreEnumerator(new Enumerating(parallelism), from.enumerator());
      for (int i = 0; i < parallelism; i++) {
        readers.add(source.createReader(new Reading(i, parallelism)));
      }
      int next = 0;
      for (FileSplit split : from.reading()) {
        readers.get(next++ % parallelism).addSplits(List.of(split));
      }
    }

    void poll(int reader, int limit) throws Exception {
      if (!enumerated) {
        enumerated = enumerator.discover(waiting::add) == Status.END;
      }
      Output<T> output = new Output<>(out);
      if (readers.get(reader).poll(output, limit) == Status.END) {
        FileSplit split = waiting.poll();
        ended[reader] = split == null;
        if (split != null) {
          readers.get(reader).addSplits(List.of(split));
        }
      } else {
        ended[reader] = false;
      }
      if (output.count > limit) {
        throw new AssertionError("More than " + limit);
      }
    }

    boolean isRead() {
      for (boolean each : ended) {
        if (!each) {
          return false;
        }
      }
      return enumerated && waiting.isEmpty();
    }

    SourceCheckpoint checkpoint() throws Exception {
      List<FileSplit> reading = new ArrayList<>();
      for (SourceReader<T, FileSplit> reader : readers) {
        reading.addAll(reader.snapshot(1));
      }
      return new SourceCheckpoint(
          enumerator.snapshot(1),
          enumerated,
          List.copyOf(waiting),
          reading,
          out.records().size(),
          out.sideOutput().size());
    }

    void close() throws Exception {
      enumerator.close();
      for (SourceReader<T, FileSplit> reader : readers) {
        reader.close();
      }
    }
  }

  private static final class Output<T> implements SourceOutput<T> {
    private final Read<T> out;
    int count;

    Output(Read<T> out) {
      this.out = out;
    }

    @Override
    public void emit(T record) {
      count++;
      out.records().add(record);
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      count++;
      out.sideOutput().add(record);
    }
  }

  record Reading(int subtask, int parallelism) implements SourceContext {
    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {}
  }

  record Enumerating(int readers) implements EnumeratorContext {
    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }

    @Override
    public void processingBacklog(boolean backlog) {}

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {}
  }
}
