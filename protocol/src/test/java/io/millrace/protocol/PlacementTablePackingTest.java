package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.codec.CodecException;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.PlacementTable.Packed;
import io.millrace.protocol.PlacementTable.Plain;
import io.millrace.task.Placement;
import io.millrace.task.Placement.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a packed table keeps, and which bytes it refuses. */
class PlacementTablePackingTest {
  private static final VertexId FIRST = new VertexId(new Id128(1, 1));
  private static final VertexId SECOND = new VertexId(new Id128(1, 2));

  @Test
  void tableIsPackedFromSixtyFourHosts() {
    assertThat(PlacementTable.of(ofHosts(63))).isInstanceOf(Plain.class);
    assertThat(PlacementTable.of(ofHosts(64))).isInstanceOf(Packed.class);
  }

  @Test
  void keepsHostsThatAreUsedInAnyOrderAndMoreThanOnce() {
    List<Run> runs =
        List.of(new Run(0, 1, 63), new Run(1, 2, 0), new Run(3, 4, 63), new Run(7, 1, 31));
    Placement placement = new Placement(hosts(64), Map.of(FIRST, runs));

    assertThat(PlacementTable.of(placement).open()).isEqualTo(placement);
  }

  @Test
  void keepsGapsBetweenRunsAndRunsThatAreNotInOrder() {
    List<Run> runs = List.of(new Run(1000, 5, 3), new Run(0, 2, 3), new Run(500, 1, 4));
    Placement placement = new Placement(hosts(64), Map.of(FIRST, runs));

    assertThat(PlacementTable.of(placement).open()).isEqualTo(placement);
  }

  @Test
  void keepsTheOrderOfVerticesAndThoseWithoutRuns() {
    Map<VertexId, List<Run>> runs = new LinkedHashMap<>();
    runs.put(SECOND, List.of(new Run(0, 1, 1)));
    runs.put(new VertexId(new Id128(9, 9)), List.of());
    runs.put(FIRST, List.of(new Run(0, 1, 2)));
    Placement placement = new Placement(hosts(64), runs);

    Placement opened = PlacementTable.of(placement).open();

    assertThat(opened).isEqualTo(placement);
    assertThat(opened.runs().keySet()).containsExactlyElementsOf(runs.keySet());
  }

  @Test
  void keepsSubtasksUpToTheLargestIndex() {
    Run last = new Run(Integer.MAX_VALUE - 1, 1, 0);
    Placement placement = new Placement(hosts(64), Map.of(FIRST, List.of(last)));

    assertThat(PlacementTable.of(placement).open().runs().get(FIRST)).containsExactly(last);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1, 1000})
  void refusesASizeThatIsNotTheOneOfItsContent(int difference) {
    Packed table = packed();
    Packed other = new Packed(table.packed(), table.size() + difference);

    assertThatThrownBy(other::open).isInstanceOf(MillraceException.class);
  }

  @Test
  void refusesBytesThatAreNotCompressed() {
    Packed table = new Packed(Bytes.utf8("host:1 host:2"), 100);

    assertThatThrownBy(table::open)
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("A packed table of ");
  }

  /** The last bytes of the compressed form are a checksum, which the content does not need. */
  @Test
  void truncationIsRefusedOrIsTheSameTable() {
    Packed table = packed();
    byte[] bytes = table.packed().toArray();
    int refused = 0;
    for (int length = 0; length < bytes.length; length++) {
      Packed cut = new Packed(Bytes.wrap(Arrays.copyOf(bytes, length)), table.size());
      try {
        assertThat(cut.open()).as("%d bytes", length).isEqualTo(ofHosts(100));
      } catch (MillraceException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(bytes.length - 10);
  }

  @Test
  void codecRefusesATableThatNeitherFormHas() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[random.nextInt(1, 200)];
      random.nextBytes(bytes);
      Packed table = new Packed(Bytes.wrap(bytes), random.nextInt(1, 400));

      assertThatThrownBy(table::open)
          .as("seed %d", seed)
          .isInstanceOfAny(MillraceException.class, CodecException.class);
    }
  }

  private static Packed packed() {
    return (Packed) PlacementTable.of(ofHosts(100));
  }

  private static Placement ofHosts(int count) {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      runs.add(new Run(i, 1, i));
    }
    return new Placement(hosts(count), Map.of(FIRST, runs));
  }

  private static List<String> hosts(int count) {
    List<String> hosts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hosts.add("node-" + i + ".example.org:" + (40_000 + i));
    }
    return hosts;
  }
}
