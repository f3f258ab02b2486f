package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CollectionSourceTest {
  @Test
  @Behaviour("H1: parallel sources divide their input without gaps and overlaps")
  void instancesShareTheElementsEvenlyAndInOrder() throws Exception {
    List<Integer> elements = IntStream.range(0, 23).boxed().toList();
    for (int parallelism = 1; parallelism <= 30; parallelism++) {
      List<Integer> all = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        List<Integer> share =
            TestContext.drain(CollectionSource.of(elements), subtask, parallelism, 4);
        assertThat(share.size()).isBetween(23 / parallelism, 23 / parallelism + 1);
        all.addAll(share);
      }
      assertThat(all).containsExactlyElementsOf(elements);
    }
  }

  @Test
  void laterChangesOfTheCollectionDoNotShow() throws Exception {
    List<String> elements = new ArrayList<>(List.of("a"));
    CollectionSource<String> source = CollectionSource.of(elements);
    elements.add("b");
    assertThat(TestContext.drain(source, 0, 1, 10)).containsExactly("a");
  }

  @Test
  void nullIsNotARecord() {
    assertThatThrownBy(() -> CollectionSource.of(Arrays.asList("a", null)))
        .isInstanceOf(NullPointerException.class);
  }
}
