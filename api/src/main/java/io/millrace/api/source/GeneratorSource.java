package io.millrace.api.source;

import io.millrace.api.function.IndexFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Generates records from indexes, which are distributed over the subtasks. Bounded if a count is
 * given.
 *
 * <pre>{@code
 * GeneratorSource<Order> generated =
 *     GeneratorSource.of(index -> new Order("customer " + index % 10, index, 100))
 *         .count(1_000_000)
 *         .perSecond(10_000);
 * env.generate(generated).keyBy(Order::customer).count().print();
 * }</pre>
 */
public final class GeneratorSource<T> implements Source<T, GeneratorSource.Sequence> {
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

  /** The indexes {@code next}, {@code next + step} and so on. */
  public record Sequence(long next, int step) implements SourceSplit {
    @Override
    public String splitId() {
      return next % step + " of " + step;
    }
  }

  @Override
  public List<Sequence> initialSplits(SourceContext context) {
    return List.of(new Sequence(context.subtask(), context.parallelism()));
  }

  @Override
  public SourceReader<T, Sequence> createReader(SourceContext context) {
    return createReader(context, System::nanoTime);
  }

  SourceReader<T, Sequence> createReader(SourceContext context, LongSupplier nanoTime) {
    return new Reader<>(
        function, count, new Pace(perSecond / context.parallelism(), nanoTime), context);
  }

  /** Takes turns between its sequences, poll by poll; there are several only after a restore. */
  private static final class Reader<T> implements SourceReader<T, Sequence> {
    private final IndexFunction<T> function;
    private final long count;
    private final Pace pace;
    private final SourceContext context;
    private final ArrayDeque<Sequence> others = new ArrayDeque<>();
    private long next = Long.MAX_VALUE;
    private int step;

    /** Whether there has been more than one sequence, so that records belong to splits. */
    private boolean shared;

    private Set<String> paused = Set.of();

    Reader(IndexFunction<T> function, long count, Pace pace, SourceContext context) {
      this.function = function;
      this.count = count;
      this.pace = pace;
      this.context = context;
    }

    @Override
    public void addSplits(List<Sequence> splits) {
      others.addAll(splits);
    }

    @Override
    public Status poll(SourceOutput<T> out, int limit) throws Exception {
      if (!others.isEmpty()) {
        takeTurn();
        shared |= !others.isEmpty();
        if (shared) {
          out.split(new Sequence(next, step).splitId());
        }
      }
      int allowed = pace.allowed(limit);
      int emitted = 0;
      long at = next;
      while (emitted < allowed && at < count) {
        out.emit(function.at(at));
        at += step;
        next = at;
        emitted++;
      }
      pace.emitted(emitted);
      if (shared && next >= count && step > 0) {
        out.splitFinished(new Sequence(next, step).splitId());
      }
      if (next >= count && others.isEmpty()) {
        return Status.END;
      }
      if (allowed == limit || next >= count) {
        return Status.MORE;
      }
      context.wakeAfter(pace.untilNext());
      return Status.WAIT;
    }

    @Override
    public void pauseSplits(Set<String> splitIds) {
      paused = splitIds;
    }

    private void takeTurn() {
      if (next < count) {
        others.add(new Sequence(next, step));
      }
      Sequence turn = others.remove();
      for (int i = others.size(); i > 0 && paused.contains(turn.splitId()); i--) {
        others.add(turn);
        turn = others.remove();
      }
      next = turn.next();
      step = turn.step();
    }

    @Override
    public List<Sequence> snapshot(long checkpoint) {
      List<Sequence> unread = new ArrayList<>(others);
      if (next < count) {
        unread.add(new Sequence(next, step));
      }
      return unread;
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
