package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobEdge;
import io.millrace.graph.Partitioning;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EdgeRatesTest {
  private static final VertexId A = VertexId.parse("0000000000000000000000000000000a");
  private static final VertexId B = VertexId.parse("0000000000000000000000000000000b");
  private static final VertexId C = VertexId.parse("0000000000000000000000000000000c");
  private static final VertexId D = VertexId.parse("0000000000000000000000000000000d");

  private final Map<VertexId, Double> in = new LinkedHashMap<>();
  private final Map<VertexId, Double> out = new LinkedHashMap<>();

  private Map<Integer, Double> rates(JobEdge... edges) {
    return EdgeRates.of(
        List.of(edges), v -> in.getOrDefault(v, 0.0), v -> out.getOrDefault(v, 0.0));
  }

  private static JobEdge edge(int id, VertexId source, VertexId target) {
    return new JobEdge(id, source, 0, target, 0, Partitioning.HASH, Bytes.EMPTY);
  }

  @Test
  @Behaviour("I2: the graph of a job shows the rate of each edge")
  void computesTheEdgesOfAJoinFromItsProducers() {
    out.put(A, 30.0);
    out.put(B, 12.0);
    in.put(C, 42.0);
    assertThat(rates(edge(0, A, C), edge(1, B, C))).isEqualTo(Map.of(0, 30.0, 1, 12.0));
  }

  @Test
  void computesTheLastEdgeOfAVertexFromTheOthers() {
    // A feeds B and C; C also has the output of B, whose rate is not known from one side alone.
    out.put(A, 100.0);
    in.put(B, 40.0);
    out.put(B, 5.0);
    in.put(C, 65.0);
    assertThat(rates(edge(0, A, B), edge(1, A, C), edge(2, B, C)))
        .isEqualTo(Map.of(0, 40.0, 1, 60.0, 2, 5.0));
  }

  @Test
  void ratesAreNotNegative() {
    out.put(A, 10.0);
    in.put(B, 11.0);
    in.put(D, 3.0);
    out.put(C, 3.0);
    assertThat(rates(edge(0, A, B), edge(1, A, D), edge(2, C, D))).containsEntry(1, 0.0);
  }

  @Test
  void edgesOfACycleHaveNoRate() {
    assertThat(rates(edge(0, A, C), edge(1, A, D), edge(2, B, C), edge(3, B, D))).isEmpty();
  }
}
