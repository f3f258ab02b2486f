package io.millrace.dataplane.state;

import io.millrace.dataplane.records.ValueCopier;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * The elements of a list state. Elements are only appended, so that a list that was read does not
 * change.
 */
final class ElementList {
  private static final int INITIAL_CAPACITY = 2;

  private Object elements;
  private int size;

  /** Whether a snapshot may have some of the elements. */
  private boolean elementsShared;

  void add(Object element) {
    if (elements == null) {
      elements = PrimitiveArrays.make(element, INITIAL_CAPACITY);
    } else if (!PrimitiveArrays.fits(elements, element)) {
      elements = PrimitiveArrays.generalised(elements, size);
    }
    if (size == PrimitiveArrays.length(elements)) {
      elements = PrimitiveArrays.resized(elements, size + size / 2 + 1);
    }
    PrimitiveArrays.set(elements, size++, element);
  }

  /**
   * A list that can be added to without a change of this one. It shares the array: elements are
   * only written behind the last one, and this list gets no more.
   */
  ElementList copy() {
    ElementList copy = new ElementList();
    copy.elements = elements;
    copy.size = size;
    copy.elementsShared = elements instanceof Object[];
    return copy;
  }

  /** Copies elements that a program may change in place and that are in a snapshot, too. */
  void ownElements(ValueCopier copier) {
    if (elementsShared) {
      elementsShared = false;
      elements = copier.copyElements(elements, size);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** A view of the current elements. Elements that are added later are not in it. */
  List<Object> read() {
    return new View(elements, size);
  }

  private static final class View extends AbstractList<Object> implements RandomAccess {
    private final Object elements;
    private final int size;

    View(Object elements, int size) {
      this.elements = elements;
      this.size = size;
    }

    @Override
    public Object get(int index) {
      if (index >= size) {
        throw new IndexOutOfBoundsException(index + " of " + size + " elements");
      }
      return PrimitiveArrays.get(elements, index);
    }

    @Override
    public int size() {
      return size;
    }
  }
}
