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
 * Unmodifiable copies that keep the insertion order.
 *
 * <p>{@code Set.copyOf} and {@code Map.copyOf} of the JDK iterate in an order that is salted per
 * JVM. Two runs of the same seed would differ.
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
