package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KeyGroupsTest {
  private static final int MAX = 32_768;

  private enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "grass";
      }
    }
  }

  private record Point(int x, long y, String label) {}

  private record Nested(Point point, List<Colour> colours) {}

  record Failing(int x) {
    @Override
    public int x() {
      throw new IllegalStateException("no x");
    }
  }

  /** Fixed for ever: state is found by these after a restart with another release. */
  @Test
  void groupsAreTheSameInEveryJvmAndRelease() {
    assertThat(
            groups(
                "",
                "river",
                "mühle",
                0,
                42,
                -1,
                0L,
                42L,
                Long.MIN_VALUE,
                true,
                'm',
                (byte) 7,
                (short) 7,
                1.5f,
                1.5,
                Colour.RED,
                Colour.GREEN,
                List.of("a", 1),
                List.of(),
                new Point(1, 2, "p"),
                new Nested(new Point(1, 2, "p"), List.of(Colour.RED))))
        .containsExactly(
            19807, 13866, 24636, 4545, 17696, 8441, 7955, 18282, 4266, 29736, 23883, 20482, 4933,
            7930, 24762, 21775, 31412, 7133, 31291, 12419, 32050);
  }

  @Test
  void equalKeysShareAGroup() {
    assertThat(KeyGroups.groupOf(new String("river"), MAX))
        .isEqualTo(KeyGroups.groupOf("river", MAX));
    assertThat(KeyGroups.groupOf(new ArrayList<>(Arrays.asList("a", null)), MAX))
        .isEqualTo(KeyGroups.groupOf(Arrays.asList("a", null), MAX));
    assertThat(KeyGroups.groupOf(new Point(3, 4, null), MAX))
        .isEqualTo(KeyGroups.groupOf(new Point(3, 4, null), MAX));
    assertThat(KeyGroups.groupOf(Double.NaN, MAX))
        .isEqualTo(KeyGroups.groupOf(Double.longBitsToDouble(0x7ff8000000000001L), MAX));
  }

  @Test
  void orderAndNestingCount() {
    assertThat(KeyGroups.groupOf(List.of(1, 2), MAX))
        .isNotEqualTo(KeyGroups.groupOf(List.of(2, 1), MAX));
    assertThat(KeyGroups.groupOf(List.of(List.of(1), 2), MAX))
        .isNotEqualTo(KeyGroups.groupOf(List.of(1, List.of(2)), MAX));
  }

  @Test
  void keysSpreadEvenlyOverGroups() {
    int keys = 128 * 500;
    int[] ofNumbers = new int[128];
    int[] ofStrides = new int[128];
    int[] ofTexts = new int[128];
    int[] ofRecords = new int[128];
    for (int i = 0; i < keys; i++) {
      ofNumbers[KeyGroups.groupOf(i, 128)]++;
      ofStrides[KeyGroups.groupOf(i * 1024L, 128)]++;
      ofTexts[KeyGroups.groupOf("user-" + i, 128)]++;
      ofRecords[KeyGroups.groupOf(new Point(i, i, "p"), 128)]++;
    }
    for (int[] counts : List.of(ofNumbers, ofStrides, ofTexts, ofRecords)) {
      // Six standard deviations of a fair draw around the mean of 500.
      assertThat(Arrays.stream(counts).boxed())
          .allSatisfy(count -> assertThat(count).isBetween(366, 634));
    }
  }

  @Test
  void everySubtaskOwnsAnEqualContiguousShareOfGroups() {
    for (int max : new int[] {1, 7, 128, 1000, MAX}) {
      for (int parallelism : new int[] {1, 2, 3, 7, 64, 1000}) {
        if (parallelism > max) {
          continue;
        }
        int[] owned = new int[parallelism];
        int before = 0;
        for (int group = 0; group < max; group++) {
          int subtask = KeyGroups.subtaskOf(group, max, parallelism);
          assertThat(subtask).isBetween(before, Math.min(before + 1, parallelism - 1));
          before = subtask;
          owned[subtask]++;
        }
        assertThat(Arrays.stream(owned).boxed())
            .allSatisfy(
                count -> assertThat(count).isBetween(max / parallelism, max / parallelism + 1));
      }
    }
  }

  @Test
  void keysWithoutAStableHashAreRefusedWithAdvice() {
    assertRefused(new int[] {1}, "int[]", "List or a record");
    assertRefused(new Object(), "java.lang.Object", "toString()");
    assertRefused(new UUID(1, 2), "java.util.UUID", "toString()");
    assertRefused(List.of(new Object()), "java.lang.Object", "record or List");
    assertThatThrownBy(() -> KeyGroups.groupOf(null, MAX)).hasMessageContaining("null");
  }

  @Test
  void anAccessorThatThrowsIsNamed() {
    assertThatThrownBy(() -> KeyGroups.groupOf(new Failing(1), MAX))
        .hasMessageContaining("'x'")
        .hasMessageContaining("no x");
  }

  private static void assertRefused(Object key, String type, String advice) {
    assertThatThrownBy(() -> KeyGroups.groupOf(key, MAX))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(type)
        .hasMessageContaining(advice);
  }

  private static Integer[] groups(Object... keys) {
    return Arrays.stream(keys).map(key -> KeyGroups.groupOf(key, MAX)).toArray(Integer[]::new);
  }
}
