package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Arrays of elements that are numbers of one class without a box each: an array of longs, ints or
 * doubles, or of objects if elements are of other classes or of several.
 */
final class PrimitiveArrays {
  private PrimitiveArrays() {}

  /** An array that holds elements like this one. */
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

  /** Whether an array holds such an element; if not, {@link #generalised} does. */
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

  static Object get(Object array, int at) {
    if (array instanceof Object[] objects) {
      return objects[at];
    } else if (array instanceof long[] longs) {
      return longs[at];
    } else if (array instanceof int[] ints) {
      return ints[at];
    }
    return ((double[]) array)[at];
  }

  /** Puts an element that fits. */
  static void set(Object array, int at, Object element) {
    if (array instanceof Object[] objects) {
      objects[at] = element;
    } else if (array instanceof long[] longs) {
      longs[at] = (Long) element;
    } else if (array instanceof int[] ints) {
      ints[at] = (Integer) element;
    } else {
      ((double[]) array)[at] = (Double) element;
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

  /** The same elements as objects, of an array that has so many of them. */
  static Object generalised(Object array, int size) {
    Object[] objects = new Object[length(array)];
    for (int i = 0; i < size; i++) {
      objects[i] = get(array, i);
    }
    return objects;
  }

  /** Moves elements within an array; the places that become free hold what they held. */
  static void move(Object array, int from, int to, int count) {
    System.arraycopy(array, from, array, to, count);
  }

  /** Forgets an object, so that it can be collected. */
  static void clear(Object array, int at) {
    if (array instanceof Object[] objects) {
      objects[at] = null;
    }
  }
}
