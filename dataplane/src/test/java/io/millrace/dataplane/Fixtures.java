package io.millrace.dataplane;

import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Sources, sinks and keys for tests. Serialised functions find shared objects here by name. */
public final class Fixtures {
  private Fixtures() {}

  private static final Map<String, Object> SHARED = new ConcurrentHashMap<>();
  private static final AtomicInteger NAMES = new AtomicInteger();

  /** Keeps an object under a fresh name, for functions that travel as bytes. */
  public static String share(Object value) {
    String name = "shared-" + NAMES.incrementAndGet();
    SHARED.put(name, value);
    return name;
  }

  public static <T> T shared(String name, Class<T> type) {
    return type.cast(SHARED.get(name));
  }

  /** The numbers 0 to count - 1, divided over the subtasks. */
  public record Numbers(long count) implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public PollingReader<Object> open(SourceContext context) {
      return new PollingReader<>() {
        private long next = context.subtask();

        @Override
        public Status poll(SourceOutput<Object> out, int limit) {
          for (int i = 0; i < limit && next < count; i++) {
            out.emit(next);
            next += context.parallelism();
          }
          return next < count ? Status.MORE : Status.END;
        }
      };
    }
  }

  /** Never has anything and never ends. */
  public record IdleSource() implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Object> open(SourceContext context) {
      return (out, limit) -> PollingReader.Status.WAIT;
    }
  }

  /** Numbers for ever. */
  public record Endless() implements NonReplayableSource<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Object> open(SourceContext context) {
      return new PollingReader<>() {
        private long next;

        @Override
        public Status poll(SourceOutput<Object> out, int limit) {
          for (int i = 0; i < limit; i++) {
            out.emit(next++);
          }
          return Status.MORE;
        }
      };
    }
  }

  public record Discard() implements Sink<Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Object> createWriter(SinkContext context) {
      return record -> {};
    }
  }

  public static OperatorSpec numbers(long count) {
    return new OperatorSpec.Source(new Numbers(count));
  }

  public static OperatorSpec discard() {
    return new OperatorSpec.Sink(new Discard());
  }

  public static OperatorSpec collect() {
    return new OperatorSpec.Collect("out");
  }

  public static KeySelector<Object, Object> itself() {
    return record -> record;
  }
}
