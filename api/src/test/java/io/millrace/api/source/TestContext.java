package io.millrace.api.source;

import io.millrace.core.fs.FileSystems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Keeps what a reader asks for. */
final class TestContext implements SourceContext {
  final List<Duration> delays = Collections.synchronizedList(new ArrayList<>());
  final Semaphore wakes = new Semaphore(0);
  private final int subtask;
  private final int parallelism;

  TestContext(int subtask, int parallelism) {
    this.subtask = subtask;
    this.parallelism = parallelism;
  }

  @Override
  public int subtask() {
    return subtask;
  }

  @Override
  public int parallelism() {
    return parallelism;
  }

  @Override
  public FileSystems files() {
    return FileSystems.withoutPlugins();
  }

  @Override
  public void wake() {
    wakes.release();
  }

  @Override
  public void wakeAfter(Duration delay) {
    delays.add(delay);
  }

  /** The reader of an instance that starts without state. */
  <T, S extends SourceSplit> SourceReader<T, S> start(Source<T, S> source) throws Exception {
    SourceReader<T, S> reader = source.createReader(this);
    reader.addSplits(
        source instanceof EnumeratedSource<T, S, ?> enumerated
            ? share(splits(enumerated, parallelism))
            : source.initialSplits(this));
    return reader;
  }

  private <S> List<S> share(List<S> all) {
    SubtaskRange range = SubtaskRange.of(all.size(), this);
    return all.subList((int) range.from(), (int) range.to());
  }

  /** All splits of a bounded source. */
  static <S extends SourceSplit> List<S> splits(EnumeratedSource<?, S, ?> source, int readers)
      throws Exception {
    List<S> found = new ArrayList<>();
    try (SplitEnumerator<S, ?> enumerator =
        source.createEnumerator(new EnumeratingContext(readers))) {
      if (enumerator.discover(found::add) != PollingReader.Status.END) {
        throw new AssertionError("A bounded source has more splits");
      }
    }
    return found;
  }

  /** Keeps the delays that an enumerator asks for. */
  record EnumeratingContext(int readers, List<Duration> delays) implements EnumeratorContext {
    EnumeratingContext(int readers) {
      this(readers, new ArrayList<>());
    }

    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }

    @Override
    public void processingBacklog(boolean backlog) {}

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {
      delays.add(delay);
    }
  }

  /** Everything a bounded source gives to one instance. */
  static <T> List<T> drain(Source<T, ?> source, int subtask, int parallelism, int limit)
      throws Exception {
    List<T> records = new ArrayList<>();
    try (SourceReader<T, ?> reader = new TestContext(subtask, parallelism).start(source)) {
      PollingReader.Status status;
      do {
        int before = records.size();
        status = reader.poll(records::add, limit);
        if (records.size() - before > limit) {
          throw new AssertionError("More than the limit of " + limit);
        }
      } while (status == PollingReader.Status.MORE);
      if (status != PollingReader.Status.END) {
        throw new AssertionError("A bounded source waits");
      }
    }
    return records;
  }
}
