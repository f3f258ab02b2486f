package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.Placement;
import io.millrace.task.Placement.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlacementTableTest {
  private static final VertexId SOURCE = new VertexId(new Id128(1, 1));

  @Test
  @Behaviour(
      "Scale: a placement table for many TaskManagers is encoded once and fits into a message")
  void packsAndOpensATableOfManyHosts() {
    Placement placement = spread(5_000, 4);

    PlacementTable table = PlacementTable.of(placement);

    assertThat(table).isInstanceOf(PlacementTable.Packed.class);
    assertThat(table.open()).isEqualTo(placement);
    assertThat(((PlacementTable.Packed) table).packed().length())
        .isLessThan(((PlacementTable.Packed) table).size() / 2);
  }

  @Test
  void doesNotPackASmallTable() {
    Placement placement = spread(3, 4);

    assertThat(PlacementTable.of(placement)).isEqualTo(new PlacementTable.Plain(placement));
  }

  /**
   * If each worker of a region gets the addresses of all others, the table must fit into one
   * message.
   */
  @Test
  @Behaviour(
      "Scale: a placement table for many TaskManagers is encoded once and fits into a message")
  void fitsThirtyThousandWorkersIntoAMessage() {
    PlacementTable.Packed table = (PlacementTable.Packed) PlacementTable.of(spread(30_000, 4));

    assertThat(table.packed().length()).isLessThan(RecordCodec.DEFAULT_MAX_BYTES / 2);
  }

  @Test
  void rejectsATruncatedTable() {
    PlacementTable.Packed table = (PlacementTable.Packed) PlacementTable.of(spread(500, 1));
    byte[] bytes = table.packed().toArray();

    PlacementTable.Packed cut =
        new PlacementTable.Packed(Bytes.wrap(Arrays.copyOf(bytes, bytes.length / 2)), table.size());

    assertThatThrownBy(cut::open).isInstanceOf(MillraceException.class);
  }

  @Test
  void packedTableIsEqualForAnyPlacement() {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      List<String> hosts = new ArrayList<>();
      int size = random.nextInt(1, 200);
      for (int i = 0; i < size; i++) {
        hosts.add("host-" + random.nextInt() + "-" + i + ":" + random.nextInt(65536));
      }
      Map<VertexId, List<Run>> runs = new LinkedHashMap<>();
      for (int vertex = 0; vertex < random.nextInt(1, 5); vertex++) {
        List<Run> ofVertex = new ArrayList<>();
        int first = 0;
        while (ofVertex.size() < 50) {
          first += random.nextInt(3);
          int count = random.nextInt(1, 5);
          ofVertex.add(new Run(first, count, random.nextInt(size)));
          first += count;
        }
        runs.put(new VertexId(new Id128(random.nextLong(), vertex)), ofVertex);
      }
      Placement placement = new Placement(hosts, runs);

      assertThat(PlacementTable.of(placement).open()).as("seed %d", seed).isEqualTo(placement);
    }
  }

  private static Placement spread(int workers, int slots) {
    List<String> hosts = new ArrayList<>();
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      hosts.add("10." + i / 65536 + "." + i / 256 % 256 + "." + i % 256 + ":" + (40_000 + i % 999));
      runs.add(new Run(i * slots, slots, i));
    }
    return new Placement(hosts, new LinkedHashMap<>(Map.of(SOURCE, runs)));
  }
}
