package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ElementListTest {
  @Test
  @Behaviour(
      "H1: map state keeps the order of first insertion, list state the order of its elements")
  void behavesLikeAnArrayList() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      int kind = random.nextInt(5);
      ElementList list = new ElementList();
      List<Object> model = new ArrayList<>();
      int count = random.nextInt(300);
      for (int i = 0; i < count; i++) {
        int number = random.nextInt();
        Object element =
            // Mixed kinds only in one of five lists, after some elements of one kind.
            switch (kind < 4 ? kind : i < 20 ? 0 : random.nextInt(4)) {
              case 0 -> (long) number << 8;
              case 1 -> number;
              case 2 -> number / 8.0;
              default -> "e" + number;
            };
        list.add(element);
        model.add(element);
        assertThat(list.read()).as("seed %s", seed).isEqualTo(model);
      }
      assertThat(list.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  @Test
  void viewDoesNotContainLaterElements() {
    ElementList list = new ElementList();
    list.add(1L);
    List<Object> view = list.read();
    for (int i = 0; i < 100; i++) {
      list.add(i % 2 == 0 ? (Object) (long) i : "text");
    }
    assertThat(view).containsExactly(1L);
    assertThatThrownBy(() -> view.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.add(2L)).isInstanceOf(UnsupportedOperationException.class);
  }
}
