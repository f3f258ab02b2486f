package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@SuppressWarnings("UnusedVariable") // Parts of keys are read by reflection.
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
  @Behaviour(
      "H1: key groups are the same in each JVM, and a key without a canonical form is refused")
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
  @Behaviour(
      "H1: key groups are the same in each JVM, and a key without a canonical form is refused")
  void keysWithoutACanonicalFormAreRefusedWithTheReason() {
    assertRefused(new int[] {1}, "int[]", "two arrays of the same content are not equal");
    assertRefused(new Object(), "java.lang.Object", "equal only to itself");
    assertRefused(new Nameless(1), "Nameless", "does not override equals and hashCode");
    assertRefused(new Halfway(1), "Halfway", "does not override hashCode");
    assertRefused(Set.of(1), "java.util.ImmutableCollections", "no fixed order");
    assertRefused(new AtomicLong(1), "AtomicLong", "no encoding of this class");
    assertRefused(List.of(new byte[1]), "byte[]", "compare arrays by reference");
    assertRefused(new Holder(new Object[] {Map.of()}[0]), "'held'", "no fixed order");
    assertRefused(new Blob(new byte[1]), "'content'", "records compare arrays by reference");
    assertThatThrownBy(() -> KeyGroups.groupOf(null, MAX)).hasMessageContaining("null");
  }

  @Test
  void aKeyThatHoldsItselfIsRefused() {
    Chain ring = new Chain();
    ring.next = ring;
    assertThatThrownBy(() -> KeyGroups.groupOf(ring, MAX)).hasMessageContaining("contains itself");
  }

  /** Such keys would be torn apart: equal ones in different tasks. */
  @Test
  void equalKeysThatDifferInAPartAreRefused() {
    KeyGroups.groupOf(new Customer(1, "Ann"), MAX);
    KeyGroups.groupOf(new Customer(1, "Ann"), MAX);
    assertThatThrownBy(() -> KeyGroups.groupOf(new Customer(1, "Ann Miller"), MAX))
        .hasMessageContaining("Customer are equal by equals(), but differ in 'name'")
        .hasMessageContaining("Make the field transient");
  }

  private record Holder(Object held) {}

  private record Blob(byte[] content) {}

  private static final class Nameless {
    final int id;

    Nameless(int id) {
      this.id = id;
    }
  }

  @SuppressWarnings({"overrides", "EqualsHashCode"})
  private static final class Halfway {
    final int id;

    Halfway(int id) {
      this.id = id;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Halfway that && that.id == id;
    }
  }

  private static final class Chain {
    Chain next;

    @Override
    public boolean equals(Object other) {
      return other == this;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  private static final class Customer {
    final int id;
    final String name;

    Customer(int id, String name) {
      this.id = id;
      this.name = name;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Customer that && that.id == id;
    }

    @Override
    public int hashCode() {
      return id;
    }
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
