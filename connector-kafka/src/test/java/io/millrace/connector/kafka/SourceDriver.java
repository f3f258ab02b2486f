package io.millrace.connector.kafka;

import io.millrace.api.process.OutputTag;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Runs the enumerator and the readers of a source as the engine does, in the test's thread. */
final class SourceDriver<T> implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The state of a source at a checkpoint. */
  record Checkpoint(
      List<DiscoveredPartitions> enumerator,
      List<KafkaPartitionSplit> waiting,
      List<KafkaPartitionSplit> splits) {}

  /** A record with what the output was told of it. */
  record Emitted<T>(T record, String split, long timestamp) {}

  private final Semaphore wakes = new Semaphore(0);
  private final SplitEnumerator<KafkaPartitionSplit, DiscoveredPartitions> enumerator;
  private final List<SourceReader<T, KafkaPartitionSplit>> readers = new ArrayList<>();
  private final List<Output> outputs = new ArrayList<>();
  private final List<Boolean> ended = new ArrayList<>();
  private final List<KafkaPartitionSplit> waiting = new ArrayList<>();
  private boolean enumerated;
  private int nextReader;

  final List<Emitted<T>> emitted = new ArrayList<>();
  final List<Object> sideOutput = new ArrayList<>();
  final Set<String> finishedSplits = new LinkedHashSet<>();

  private SourceDriver(KafkaSource<T> source, int parallelism, Checkpoint restored)
      throws Exception {
    enumerator =
        restored == null
            ? source.createEnumerator(new Enumerating(parallelism))
            : source.restoreEnumerator(new Enumerating(parallelism), restored.enumerator());
    for (int i = 0; i < parallelism; i++) {
      readers.add(source.createReader(new Reading(i, parallelism)));
      outputs.add(new Output());
      ended.add(false);
    }
    if (restored != null) {
      waiting.addAll(restored.waiting());
      restored.splits().forEach(this::assign);
    }
  }

  static <T> SourceDriver<T> start(KafkaSource<T> source, int parallelism) throws Exception {
    return new SourceDriver<>(source, parallelism, null);
  }

  static <T> SourceDriver<T> restore(KafkaSource<T> source, int parallelism, Checkpoint from)
      throws Exception {
    return new SourceDriver<>(source, parallelism, from);
  }

  private void assign(KafkaPartitionSplit split) {
    try {
      readers.get(nextReader++ % readers.size()).addSplits(List.of(split));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** All records of a bounded source. */
  List<T> readAll() throws Exception {
    until(() -> ended.stream().allMatch(each -> each) && enumerated);
    return records();
  }

  List<T> read(int count) throws Exception {
    until(() -> emitted.size() >= count);
    return records();
  }

  List<T> records() {
    return emitted.stream().map(Emitted::record).toList();
  }

  /** Polls until the condition holds, at most a few records at a time. */
  void until(BooleanSupplier condition) throws Exception {
    until(condition, 7);
  }

  void until(BooleanSupplier condition, int limit) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within " + PATIENCE + "; emitted: " + emitted);
      }
      if (!step(limit)) {
        wakes.tryAcquire(20, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** One poll of each; returns whether there is more. */
  boolean step(int limit) throws Exception {
    boolean more = false;
    if (!enumerated) {
      enumerated = enumerator.discover(waiting::add) == Status.END;
    }
    waiting.forEach(this::assign);
    waiting.clear();
    for (int i = 0; i < readers.size(); i++) {
      Output out = outputs.get(i);
      out.count = 0;
      Status status = readers.get(i).poll(out, limit);
      if (out.count > limit) {
        throw new AssertionError("More than " + limit);
      }
      ended.set(i, status == Status.END);
      more |= status == Status.MORE;
    }
    return more;
  }

  Checkpoint checkpoint(long number) throws Exception {
    List<KafkaPartitionSplit> splits = new ArrayList<>();
    for (SourceReader<T, KafkaPartitionSplit> reader : readers) {
      splits.addAll(reader.snapshot(number));
    }
    return new Checkpoint(List.copyOf(enumerator.snapshot(number)), List.copyOf(waiting), splits);
  }

  void completed(long number) throws Exception {
    for (SourceReader<T, KafkaPartitionSplit> reader : readers) {
      reader.checkpointCompleted(number);
    }
  }

  void pause(Set<String> splits) throws Exception {
    for (SourceReader<T, KafkaPartitionSplit> reader : readers) {
      reader.pauseSplits(splits);
    }
  }

  @Override
  public void close() throws IOException {
    enumerator.close();
    for (SourceReader<T, KafkaPartitionSplit> reader : readers) {
      reader.close();
    }
  }

  private final class Output implements SourceOutput<T> {
    private String split = "";
    int count;

    @Override
    public void emit(T record) {
      throw new AssertionError("without a timestamp");
    }

    @Override
    public void emit(T record, long timestamp) {
      count++;
      emitted.add(new Emitted<>(record, split, timestamp));
    }

    @Override
    public void split(String splitId) {
      split = splitId;
    }

    @Override
    public void splitFinished(String splitId) {
      finishedSplits.add(splitId);
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      sideOutput.add(record);
    }
  }

  private final class Reading implements SourceContext {
    private final int subtask;
    private final int parallelism;

    Reading(int subtask, int parallelism) {
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
      wakes.release();
    }
  }

  /** A driver asks for partitions in each step: intervals of tests are short. */
  private final class Enumerating implements EnumeratorContext {
    private final int readers;

    Enumerating(int readers) {
      this.readers = readers;
    }

    @Override
    public int readers() {
      return readers;
    }

    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }

    @Override
    public void processingBacklog(boolean backlog) {}

    @Override
    public void wake() {
      wakes.release();
    }

    @Override
    public void wakeAfter(Duration delay) {
      wakes.release();
    }
  }
}
