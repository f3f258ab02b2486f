package io.millrace.api.source;

import io.millrace.api.function.Collector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Emits the elements of a collection, which are part of the job; each subtask has a range. */
public final class CollectionSource<T> implements Source<T> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<T> elements;

  private CollectionSource(Collection<? extends T> elements) {
    this.elements = new ArrayList<>(elements);
    this.elements.forEach(
        element -> Objects.requireNonNull(element, "elements must not contain null"));
  }

  public static <T> CollectionSource<T> of(Collection<? extends T> elements) {
    return new CollectionSource<>(elements);
  }

  public List<T> elements() {
    return Collections.unmodifiableList(elements);
  }

  @Override
  public boolean isBounded() {
    return true;
  }

  @Override
  public SourceReader<T> open(SourceContext context) {
    SubtaskRange share = SubtaskRange.of(elements.size(), context);
    int from = (int) share.from();
    return new Reader<>(from, elements.subList(from, (int) share.to()));
  }

  private static final class Reader<T> implements SourceReader<T> {
    private final int from;
    private final List<T> share;
    private int next;

    Reader(int from, List<T> share) {
      this.from = from;
      this.share = share;
    }

    @Override
    public Status poll(Collector<T> out, int limit) {
      int end = (int) Math.min(share.size(), (long) next + limit);
      while (next < end) {
        out.emit(share.get(next++));
      }
      return next == share.size() ? Status.END : Status.MORE;
    }

    @Override
    public Optional<String> position() {
      return Optional.of("element " + (from + next - 1));
    }
  }
}
