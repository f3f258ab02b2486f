package io.millrace.api.source;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A source that has no positions: it cannot emit a record again. After a failure the job goes on
 * with the records that come next; those in between are lost.
 *
 * <pre>{@code
 * // The time, once a second.
 * class Clock implements NonReplayableSource<Instant> {
 *   public boolean isBounded() {
 *     return false;
 *   }
 *
 *   public PollingReader<Instant> open(SourceContext context) {
 *     return (out, limit) -> {
 *       out.emit(Instant.now());
 *       context.wakeAfter(Duration.ofSeconds(1));
 *       return PollingReader.Status.WAIT;
 *     };
 *   }
 * }
 *
 * env.fromSource(new Clock(), "clock").print();
 * }</pre>
 */
public interface NonReplayableSource<T> extends Source<T, NonReplayableSource.Instance> {
  /** The only split of one parallel instance. */
  record Instance(int subtask) implements SourceSplit {
    @Override
    public String splitId() {
      return String.valueOf(subtask);
    }
  }

  /** Opens the reader of one instance. */
  PollingReader<T> open(SourceContext context) throws Exception;

  @Override
  default List<Instance> initialSplits(SourceContext context) {
    return List.of(new Instance(context.subtask()));
  }

  @Override
  default SourceReader<T, Instance> createReader(SourceContext context) throws Exception {
    PollingReader<T> reader = open(context);
    return new SourceReader<>() {
      private List<Instance> unread = List.of();

      @Override
      public void addSplits(List<Instance> splits) {
        unread = List.copyOf(splits);
      }

      @Override
      public Status poll(SourceOutput<T> out, int limit) throws Exception {
        Status status = unread.isEmpty() ? Status.END : reader.poll(out, limit);
        if (status == Status.END) {
          unread = List.of();
        }
        return status;
      }

      @Override
      public List<Instance> snapshot(long checkpoint) {
        return unread;
      }

      @Override
      public Optional<String> position() {
        return reader.position();
      }

      @Override
      public void close() throws IOException {
        reader.close();
      }
    };
  }
}
