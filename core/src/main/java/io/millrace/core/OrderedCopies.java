package io.millrace.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Unmodifiable copies that keep the order in which elements were put in.
 *
 * <p>The JDK's own {@code Set.copyOf} and {@code Map.copyOf} iterate in an order that is salted per
 * JVM, which would make two runs of the same seed differ.
 */
public final class OrderedCopies {
  private OrderedCopies() {}

  public static <T> List<T> list(Collection<? extends T> elements) {
    List<T> copy = new ArrayList<>(elements);
    copy.forEach(Objects::requireNonNull);
    return Collections.unmodifiableList(copy);
  }

  public static <T> Set<T> set(Collection<? extends T> elements) {
    Set<T> copy = new LinkedHashSet<>(elements);
    copy.forEach(Objects::requireNonNull);
    return Collections.unmodifiableSet(copy);
  }

  public static <K, V> Map<K, V> map(Map<? extends K, ? extends V> entries) {
    Map<K, V> copy = new LinkedHashMap<>(entries);
    copy.forEach(
        (key, value) -> {
          Objects.requireNonNull(key);
          Objects.requireNonNull(value);
        });
    return Collections.unmodifiableMap(copy);
  }
}
