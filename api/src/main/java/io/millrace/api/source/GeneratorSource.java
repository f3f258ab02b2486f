package io.millrace.api.source;

import io.millrace.api.function.Collector;
import io.millrace.api.function.IndexFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Generates records from indexes, which are distributed over the subtasks. Bounded if a count is
 * given.
 */
public final class GeneratorSource<T> implements Source<T> {
  private static final long serialVersionUID = 1L;

  private final IndexFunction<T> function;
  private final long count;
  private final double perSecond;

  private GeneratorSource(IndexFunction<T> function, long count, double perSecond) {
    this.function = Objects.requireNonNull(function);
    this.count = count;
    this.perSecond = perSecond;
  }

  /** An unbounded source without a rate limit. */
  public static <T> GeneratorSource<T> of(IndexFunction<T> function) {
    return new GeneratorSource<>(function, Long.MAX_VALUE, Double.POSITIVE_INFINITY);
  }

  /** Ends after this many records over all parallel instances. */
  public GeneratorSource<T> count(long count) {
    if (count < 0) {
      throw new MillraceException(
          ErrorKind.USER, "A generator makes 0 or more records, not " + count + ".");
    }
    return new GeneratorSource<>(function, count, perSecond);
  }

  /** Emits at most this many records per second over all parallel instances. */
  public GeneratorSource<T> perSecond(double perSecond) {
    if (!(perSecond > 0)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A generator's rate is above 0 records per second, not " + perSecond + ".");
    }
    return new GeneratorSource<>(function, count, perSecond);
  }

  @Override
  public boolean isBounded() {
    return count != Long.MAX_VALUE;
  }

  @Override
  public SourceReader<T> open(SourceContext context) {
    return open(context, System::nanoTime);
  }

  SourceReader<T> open(SourceContext context, LongSupplier nanoTime) {
    return new Reader<>(
        function, count, new Pace(perSecond / context.parallelism(), nanoTime), context);
  }

  private static final class Reader<T> implements SourceReader<T> {
    private final IndexFunction<T> function;
    private final long count;
    private final Pace pace;
    private final SourceContext context;
    private long next;

    Reader(IndexFunction<T> function, long count, Pace pace, SourceContext context) {
      this.function = function;
      this.count = count;
      this.pace = pace;
      this.context = context;
      this.next = context.subtask();
    }

    @Override
    public Status poll(Collector<T> out, int limit) throws Exception {
      int allowed = pace.allowed(limit);
      int emitted = 0;
      while (emitted < allowed && next < count) {
        out.emit(function.at(next));
        next += context.parallelism();
        emitted++;
      }
      pace.emitted(emitted);
      if (next >= count) {
        return Status.END;
      }
      if (allowed == limit) {
        return Status.MORE;
      }
      context.wakeAfter(pace.untilNext());
      return Status.WAIT;
    }

    @Override
    public Optional<String> position() {
      return Optional.of("index " + next);
    }
  }

  /** Spreads records evenly over time. */
  private static final class Pace {
    /** A stall is made up for up to this much; after a longer one the clock starts anew. */
    private static final double MOST_BEHIND_NANOS = 1e9;

    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

    private final double nanosPerRecord;
    private final LongSupplier nanoTime;
    private long start;
    private long done;

    Pace(double perSecond, LongSupplier nanoTime) {
      this.nanosPerRecord = 1e9 / perSecond;
      this.nanoTime = nanoTime;
      this.start = nanoTime.getAsLong();
    }

    int allowed(int limit) {
      if (nanosPerRecord == 0) {
        return limit;
      }
      long elapsed = nanoTime.getAsLong() - start;
      double behind = elapsed - done * nanosPerRecord;
      if (behind > MOST_BEHIND_NANOS + nanosPerRecord) {
        start += elapsed - (long) MOST_BEHIND_NANOS;
        elapsed = (long) MOST_BEHIND_NANOS;
        done = 0;
      }
      long due = (long) (elapsed / nanosPerRecord) + 1;
      return (int) Math.max(0, Math.min(limit, due - done));
    }

    void emitted(int records) {
      done += records;
    }

    Duration untilNext() {
      long due = start + (long) (done * nanosPerRecord);
      return Duration.ofNanos(Math.max(SHORTEST_PAUSE_NANOS, due - nanoTime.getAsLong()));
    }
  }
}
