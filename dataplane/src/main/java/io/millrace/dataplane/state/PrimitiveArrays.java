package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Arrays without boxing: an array of longs, ints or doubles if all elements are of that class,
 * otherwise an array of objects.
 */
final class PrimitiveArrays {
  private PrimitiveArrays() {}

  /** Creates an array for elements of the class of this one. */
  static Object make(Object element, int length) {
    if (element instanceof Long) {
      return new long[length];
    } else if (element instanceof Integer) {
      return new int[length];
    } else if (element instanceof Double) {
      return new double[length];
    }
    return new Object[length];
  }

  /** Whether the array can hold the element; if not, {@link #generalised} can. */
  static boolean fits(Object array, Object element) {
    return array instanceof Object[]
        || array instanceof long[] && element instanceof Long
        || array instanceof int[] && element instanceof Integer
        || array instanceof double[] && element instanceof Double;
  }

  static int length(Object array) {
    if (array instanceof Object[] objects) {
      return objects.length;
    } else if (array instanceof long[] longs) {
      return longs.length;
    } else if (array instanceof int[] ints) {
      return ints.length;
    }
    return ((double[]) array).length;
  }

  static Object get(Object array, int index) {
    if (array instanceof Object[] objects) {
      return objects[index];
    } else if (array instanceof long[] longs) {
      return longs[index];
    } else if (array instanceof int[] ints) {
      return ints[index];
    }
    return ((double[]) array)[index];
  }

  /** Stores an element that fits. */
  static void set(Object array, int index, Object element) {
    if (array instanceof Object[] objects) {
      objects[index] = element;
    } else if (array instanceof long[] longs) {
      longs[index] = (Long) element;
    } else if (array instanceof int[] ints) {
      ints[index] = (Integer) element;
    } else {
      ((double[]) array)[index] = (Double) element;
    }
  }

  static Object resized(Object array, int length) {
    if (array instanceof Object[] objects) {
      return Arrays.copyOf(objects, length);
    } else if (array instanceof long[] longs) {
      return Arrays.copyOf(longs, length);
    } else if (array instanceof int[] ints) {
      return Arrays.copyOf(ints, length);
    }
    return Arrays.copyOf((double[]) array, length);
  }

  /** The first {@code size} elements as objects. */
  static Object generalised(Object array, int size) {
    Object[] objects = new Object[length(array)];
    for (int i = 0; i < size; i++) {
      objects[i] = get(array, i);
    }
    return objects;
  }

  /** Moves elements within an array; vacated positions keep their content. */
  static void move(Object array, int from, int to, int count) {
    System.arraycopy(array, from, array, to, count);
  }

  /** Clears an object, so that it can be collected. */
  static void clear(Object array, int index) {
    if (array instanceof Object[] objects) {
      objects[index] = null;
    }
  }
}
