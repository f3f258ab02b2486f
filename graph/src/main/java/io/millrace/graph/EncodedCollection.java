package io.millrace.graph;

import io.millrace.core.Bytes;
import java.io.Serializable;
import java.util.Arrays;

/**
 * Stands for a {@link io.millrace.api.source.CollectionSource} in a serialised operator. Its
 * elements are written as records are, because Java's serialisation takes fewer classes.
 */
public final class EncodedCollection implements Serializable {
  private static final long serialVersionUID = 1L;

  private final byte[] elements;

  EncodedCollection(Bytes elements) {
    this.elements = Arrays.copyOf(elements.unsafeArray(), elements.length());
  }

  /** What {@link RecordEncoder} made of the elements. */
  public Bytes elements() {
    return Bytes.wrap(elements);
  }
}
