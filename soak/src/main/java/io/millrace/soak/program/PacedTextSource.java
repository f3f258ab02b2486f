package io.millrace.soak.program;

import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.source.SplitEnumerator;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The lines of another source, at most so many per second in each parallel instance.
 *
 * @param <S> the splits
 * @param <E> the elements of the enumerator's state
 */
final class PacedTextSource<S extends SourceSplit, E> implements EnumeratedSource<String, S, E> {
  private static final long serialVersionUID = 1L;

  private static final Duration PAUSE = Duration.ofMillis(20);

  private final EnumeratedSource<String, S, E> lines;
  private final double perSecond;

  PacedTextSource(EnumeratedSource<String, S, E> lines, double perSecond) {
    this.lines = lines;
    this.perSecond = perSecond;
  }

  @Override
  public boolean isBounded() {
    return lines.isBounded();
  }

  @Override
  public SplitEnumerator<S, E> createEnumerator(EnumeratorContext context) throws Exception {
    return lines.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<S, E> restoreEnumerator(EnumeratorContext context, List<E> state)
      throws Exception {
    return lines.restoreEnumerator(context, state);
  }

  @Override
  public SourceReader<String, S> createReader(SourceContext context) throws Exception {
    return new PacedReader<>(lines.createReader(context), perSecond, context);
  }

  private static final class PacedReader<S extends SourceSplit> implements SourceReader<String, S> {
    private final SourceReader<String, S> reader;
    private final double perSecond;
    private final SourceContext context;
    private final long start = System.nanoTime();
    private long emitted;

    PacedReader(SourceReader<String, S> reader, double perSecond, SourceContext context) {
      this.reader = reader;
      this.perSecond = perSecond;
      this.context = context;
    }

    @Override
    public Status poll(SourceOutput<String> out, int limit) throws Exception {
      long due = (long) ((System.nanoTime() - start) / 1e9 * perSecond) + 1;
      int allowed = (int) Math.min(limit, due - emitted);
      if (allowed <= 0) {
        context.wakeAfter(PAUSE);
        return Status.WAIT;
      }
      emitted += allowed;
      return reader.poll(out, allowed);
    }

    @Override
    public void addSplits(List<S> splits) throws Exception {
      reader.addSplits(splits);
    }

    @Override
    public List<S> snapshot(long checkpoint) throws Exception {
      return reader.snapshot(checkpoint);
    }

    @Override
    public Optional<String> position() {
      return reader.position();
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
