package io.millrace.core.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Lists, and sets in the order in which they were written. */
final class CollectionTypeCodec implements TypeCodec {
  /**
   * The initial capacity. The encoded count is not trusted: nested collections could each claim as
   * many elements as there are bytes left.
   */
  static final int INITIAL_CAPACITY = 16;

  private final TypeCodec element;
  private final boolean unique;

  CollectionTypeCodec(TypeCodec element, boolean unique) {
    this.element = element;
    this.unique = unique;
  }

  @Override
  public void write(WireWriter out, Object value) {
    Collection<?> elements = (Collection<?>) value;
    out.writeVarint(elements.size());
    for (Object each : elements) {
      element.write(out, each);
    }
  }

  @Override
  public Object read(WireReader in) {
    int count = in.readCount(1);
    int capacity = Math.min(count, INITIAL_CAPACITY);
    return unique ? readSet(in, count, capacity) : readList(in, count, capacity);
  }

  private List<Object> readList(WireReader in, int count, int capacity) {
    List<Object> elements = new ArrayList<>(capacity);
    for (int i = 0; i < count; i++) {
      elements.add(element.read(in));
    }
    return Collections.unmodifiableList(elements);
  }

  private Set<Object> readSet(WireReader in, int count, int capacity) {
    Set<Object> elements = new LinkedHashSet<>(capacity);
    for (int i = 0; i < count; i++) {
      if (!elements.add(element.read(in))) {
        throw in.failure("a set holds an element twice");
      }
    }
    return Collections.unmodifiableSet(elements);
  }

  @Override
  public TypeCodec[] parts() {
    return new TypeCodec[] {element};
  }
}
