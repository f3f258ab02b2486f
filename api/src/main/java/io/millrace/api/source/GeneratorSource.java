package io.millrace.api.source;

import io.millrace.api.function.IndexFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
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

  /** Null for an even rate. */
  private final RatePattern pattern;

  private GeneratorSource(
      IndexFunction<T> function, long count, double perSecond, RatePattern pattern) {
    this.function = Objects.requireNonNull(function);
    this.count = count;
    this.perSecond = perSecond;
    this.pattern = pattern;
  }

  /** An unbounded source without a rate limit. */
  public static <T> GeneratorSource<T> of(IndexFunction<T> function) {
    return new GeneratorSource<>(function, Long.MAX_VALUE, Double.POSITIVE_INFINITY, null);
  }

  /** Ends after this many records over all parallel instances. */
  public GeneratorSource<T> count(long count) {
    if (count < 0) {
      throw new MillraceException(
          ErrorKind.USER, "A generator makes 0 or more records, not " + count + ".");
    }
    return new GeneratorSource<>(function, count, perSecond, pattern);
  }

  /** Emits at most this many records per second over all parallel instances. */
  public GeneratorSource<T> perSecond(double perSecond) {
    if (!(perSecond > 0)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A generator's rate is above 0 records per second, not " + perSecond + ".");
    }
    return new GeneratorSource<>(function, count, perSecond, null);
  }

  /** Emits at a rate that changes over time. The records are the same at any rate. */
  public GeneratorSource<T> rate(RatePattern pattern) {
    return new GeneratorSource<>(
        function, count, Double.POSITIVE_INFINITY, Objects.requireNonNull(pattern, "pattern"));
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
    Pace pace =
        pattern == null
            ? new EvenPace(perSecond / context.parallelism(), nanoTime)
            : new PatternPace(pattern, 1.0 / context.parallelism(), nanoTime);
    return new Reader<>(function, count, pace, context);
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
}
