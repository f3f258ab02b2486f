package io.millrace.dataplane;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.dataplane.RandomEvents.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A source whose splits can be read again from any position, and a sink that shows results only
 * once: those between two checkpoints become visible when the later one has completed.
 */
final class Replay {
  static final int SPLITS = 4;
  private static final AtomicInteger RUNS = new AtomicInteger();

  private final String name = Fixtures.share(this);
  private final List<List<Event>> splits = new ArrayList<>();
  private final List<SourceContext> readers = new CopyOnWriteArrayList<>();
  private final Map<String, List<String>> committed = new ConcurrentHashMap<>();

  /** The number of events that readers have emitted, those that were read again included. */
  private final AtomicInteger emitted = new AtomicInteger();

  /** The number of events of each split that may be read so far. */
  private volatile int limit;

  private volatile boolean failing;
  private final AtomicInteger readersOpened = new AtomicInteger();
  private final AtomicInteger eventsRead = new AtomicInteger();

  /**
   * Events at the same position of all splits have the same time, less at most {@code disorder}: a
   * reader that waits at a position of its splits, and emits a watermark there, has no late events
   * afterwards.
   */
  Replay(long seed, int eventsPerSplit, int disorder) {
    Random random = new Random(seed);
    int keys = 1 + random.nextInt(40);
    int kind = random.nextInt(3);
    long[] times = new long[eventsPerSplit];
    long time = 1000;
    for (int i = 0; i < eventsPerSplit; i++) {
      time += random.nextInt(7);
      times[i] = time;
    }
    for (int split = 0; split < SPLITS; split++) {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < eventsPerSplit; i++) {
        int number = random.nextInt(keys);
        Object key = kind == 0 ? (Object) (long) number : kind == 1 ? number : "key " + number;
        events.add(
            new Event(
                split * eventsPerSplit + i,
                key,
                times[i] - random.nextInt(disorder + 1),
                RandomEvents.NO_WATERMARK));
      }
      splits.add(events);
    }
  }

  /** The same events, the first so many of each split. */
  Replay truncatedTo(int events) {
    for (int split = 0; split < SPLITS; split++) {
      splits.set(split, splits.get(split).subList(0, events));
    }
    return this;
  }

  /** The same events, a quarter of the first split, half of the second one and so on. */
  Replay uneven() {
    int events = size();
    for (int split = 0; split < SPLITS; split++) {
      splits.set(split, splits.get(split).subList(0, events * (split + 1) / SPLITS));
    }
    return this;
  }

  /** Lets readers throw in snapshots. */
  void failSnapshots(boolean fail) {
    failing = fail;
  }

  /** The number of readers that were opened. */
  int readersOpened() {
    return readersOpened.get();
  }

  /** The number of events that were read, in all runs. */
  int eventsRead() {
    return eventsRead.get();
  }

  /** The events of each split, in their order. */
  List<List<Event>> events() {
    return List.copyOf(splits);
  }

  int size() {
    return splits.get(SPLITS - 1).size();
  }

  /** Lets the readers read so many events of each split. */
  void allow(int events) {
    limit = Math.min(events, size());
    readers.forEach(SourceContext::wake);
  }

  void allowAll() {
    allow(size());
  }

  int emitted() {
    return emitted.get();
  }

  List<String> results() {
    return committed.values().stream().flatMap(List::stream).sorted().toList();
  }

  int resultCount() {
    return committed.values().stream().mapToInt(List::size).sum();
  }

  Source<Event, Position> source() {
    return new ReplaySource(name);
  }

  Sink<String> sink() {
    return new OnceSink(name);
  }

  /** A split and the number of its events that were read. */
  record Position(int split, int read) implements SourceSplit {
    @Override
    public String splitId() {
      return String.valueOf(split);
    }
  }

  private record ReplaySource(String replay) implements Source<Event, Position> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public List<Position> initialSplits(SourceContext context) {
      List<Position> initial = new ArrayList<>();
      for (int split = context.subtask(); split < SPLITS; split += context.parallelism()) {
        initial.add(new Position(split, 0));
      }
      return initial;
    }

    @Override
    public SourceReader<Event, Position> createReader(SourceContext context) {
      Replay shared = Fixtures.shared(replay, Replay.class);
      shared.readers.add(context);
      shared.readersOpened.incrementAndGet();
      return shared.new Reader(context);
    }
  }

  private final class Reader implements SourceReader<Event, Position> {
    private final SourceContext context;
    private final List<int[]> own = new ArrayList<>();

    Reader(SourceContext context) {
      this.context = context;
    }

    @Override
    public void addSplits(List<Position> splits) {
      splits.forEach(position -> own.add(new int[] {position.split(), position.read()}));
    }

    @Override
    public List<Position> snapshot(long checkpoint) {
      if (failing) {
        throw new IllegalStateException("no snapshot today");
      }
      return own.stream().map(at -> new Position(at[0], at[1])).toList();
    }

    @Override
    public Status poll(SourceOutput<Event> out, int most) {
      for (int i = 0; i < most; i++) {
        int end = limit;
        Optional<int[]> next =
            own.stream()
                .filter(at -> at[1] < Math.min(end, splits.get(at[0]).size()))
                .min(Comparator.comparingLong(at -> splits.get(at[0]).get(at[1]).time()));
        if (next.isEmpty()) {
          return own.stream().allMatch(at -> at[1] == splits.get(at[0]).size())
              ? Status.END
              : Status.WAIT;
        }
        int[] at = next.get();
        eventsRead.incrementAndGet();
        // At the limit one split may be ahead of another, so that each has its own watermarks.
        out.split(String.valueOf(at[0]));
        // The position counts the event: a snapshot is never taken inside of emit.
        out.emit(splits.get(at[0]).get(at[1]++));
        emitted.incrementAndGet();
      }
      return Status.MORE;
    }

    @Override
    public void close() {
      readers.remove(context);
    }
  }

  private record OnceSink(String replay) implements CommittingSink<String, Prepared> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<String, Prepared> createWriter(SinkContext context) {
      return new Writer(RUNS.incrementAndGet() + "-" + context.subtask() + "-");
    }

    @Override
    public Committer<Prepared> createCommitter(SinkContext context) {
      Replay shared = Fixtures.shared(replay, Replay.class);
      return prepared -> prepared.forEach(each -> shared.committed.put(each.id(), each.results()));
    }
  }

  /** Results that a completed checkpoint makes visible. */
  record Prepared(String id, List<String> results) {}

  private static final class Writer implements CommittingSinkWriter<String, Prepared> {
    private final String id;
    private int commits;
    private List<String> pending = new ArrayList<>();

    Writer(String id) {
      this.id = id;
    }

    @Override
    public void write(String record) {
      pending.add(record);
    }

    @Override
    public List<Prepared> prepareCommit() {
      List<String> results = pending;
      pending = new ArrayList<>();
      return List.of(new Prepared(id + commits++, results));
    }
  }
}
