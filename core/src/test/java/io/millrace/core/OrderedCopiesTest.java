package io.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OrderedCopiesTest {
  private static final List<String> NAMES = List.of("z", "a", "q", "m", "b");

  @Test
  void copiesKeepTheOrderAndAreIndependentOfTheOriginal() {
    List<String> list = new ArrayList<>(NAMES);
    Set<String> set = new LinkedHashSet<>(NAMES);
    Map<String, String> map = new LinkedHashMap<>();
    NAMES.forEach(name -> map.put(name, name));
    List<String> listCopy = OrderedCopies.list(list);
    Set<String> setCopy = OrderedCopies.set(set);
    Map<String, String> mapCopy = OrderedCopies.map(map);
    list.clear();
    set.clear();
    map.clear();
    assertThat(listCopy).containsExactlyElementsOf(NAMES);
    assertThat(setCopy).containsExactlyElementsOf(NAMES);
    assertThat(mapCopy.keySet()).containsExactlyElementsOf(NAMES);
  }

  @Test
  void copiesAreUnmodifiable() {
    List<String> list = OrderedCopies.list(NAMES);
    Set<String> set = OrderedCopies.set(NAMES);
    Map<String, String> map = OrderedCopies.map(Map.of());
    assertThatThrownBy(() -> list.add("x")).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> set.add("x")).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> map.put("x", "y")).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void nullsAreRejected() {
    List<String> hole = Arrays.asList("a", null);
    Map<String, String> toNull = Collections.singletonMap("a", null);
    assertThatThrownBy(() -> OrderedCopies.list(hole)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> OrderedCopies.set(hole)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> OrderedCopies.map(toNull)).isInstanceOf(NullPointerException.class);
  }
}
