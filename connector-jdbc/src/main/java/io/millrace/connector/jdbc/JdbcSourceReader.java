package io.millrace.connector.jdbc;

import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/** Emits what a {@link JdbcFetcher} has read, split after split. */
final class JdbcSourceReader<T> implements SourceReader<T, JdbcSplit> {
  private final JdbcFetcher<T> fetcher;

  /** The splits that are not completely emitted, with their positions; the first is read now. */
  private final ArrayDeque<JdbcSplit> splits = new ArrayDeque<>();

  /** Null if the next one is to be taken. */
  private JdbcFetcher.Batch<T> batch;

  private int next;

  JdbcSourceReader(JdbcFetcher<T> fetcher) {
    this.fetcher = fetcher;
  }

  @Override
  public void addSplits(List<JdbcSplit> added) {
    splits.addAll(added);
    fetcher.add(added);
  }

  @Override
  public Status poll(SourceOutput<T> out, int limit) {
    int emitted = 0;
    while (emitted < limit) {
      if (splits.isEmpty()) {
        return Status.END;
      }
      if (batch == null) {
        batch = fetcher.poll();
        next = 0;
        if (batch == null) {
          return Status.WAIT;
        }
      }
      emitted += emit(out, limit - emitted);
    }
    return splits.isEmpty() ? Status.END : Status.MORE;
  }

  /** Emits records of the batch, and ends it if none is left. */
  private int emit(SourceOutput<T> out, int limit) {
    int end = Math.min(batch.records().size(), next + limit);
    int emitted = end - next;
    for (; next < end; next++) {
      out.emit(batch.records().get(next));
    }
    if (end > 0) {
      splits.remove();
      splits.addFirst(batch.positions().get(end - 1));
    }
    if (end == batch.records().size()) {
      if (batch.isEnd()) {
        splits.remove();
      }
      batch = null;
    }
    return emitted;
  }

  @Override
  public List<JdbcSplit> snapshot(long checkpoint) {
    return List.copyOf(splits);
  }

  @Override
  public Optional<String> position() {
    if (batch == null || next >= batch.positions().size()) {
      return Optional.empty();
    }
    JdbcSplit at = batch.positions().get(next);
    return Optional.of("the row with key " + at.type().render(at.position()));
  }

  @Override
  public void close() {
    fetcher.close();
  }
}
