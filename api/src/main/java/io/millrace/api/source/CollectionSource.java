package io.millrace.api.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Emits the elements of a collection, which are part of the job; each subtask has a range.
 *
 * <pre>{@code
 * CollectionSource<String> source = CollectionSource.of(List.of("CH", "NO"));
 * env.fromSource(source, "codes").print();
 * }</pre>
 */
public final class CollectionSource<T> implements Source<T, CollectionSource.Range> {
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

  /** The elements from {@code next} inclusive to {@code end} exclusive. */
  public record Range(int first, int next, int end) implements SourceSplit {
    @Override
    public String splitId() {
      return "from " + first;
    }
  }

  @Override
  public List<Range> initialSplits(SourceContext context) {
    SubtaskRange share = SubtaskRange.of(elements.size(), context);
    int from = (int) share.from();
    return from == share.to() ? List.of() : List.of(new Range(from, from, (int) share.to()));
  }

  @Override
  public SourceReader<T, Range> createReader(SourceContext context) {
    return new Reader<>(elements);
  }

  private static final class Reader<T> implements SourceReader<T, Range> {
    private final List<T> elements;
    private final ArrayDeque<Range> later = new ArrayDeque<>();
    private Range current = new Range(0, 0, 0);
    private int next;

    Reader(List<T> elements) {
      this.elements = elements;
    }

    @Override
    public void addSplits(List<Range> splits) {
      later.addAll(splits);
    }

    @Override
    public Status poll(SourceOutput<T> out, int limit) {
      if (next == current.end() && !later.isEmpty()) {
        current = later.remove();
        next = current.next();
      }
      int end = (int) Math.min(current.end(), (long) next + limit);
      while (next < end) {
        out.emit(elements.get(next++));
      }
      return next == current.end() && later.isEmpty() ? Status.END : Status.MORE;
    }

    @Override
    public List<Range> snapshot(long checkpoint) {
      List<Range> unread = new ArrayList<>();
      if (next < current.end()) {
        unread.add(new Range(current.first(), next, current.end()));
      }
      unread.addAll(later);
      return unread;
    }

    @Override
    public Optional<String> position() {
      return Optional.of("element " + (next - 1));
    }
  }
}
