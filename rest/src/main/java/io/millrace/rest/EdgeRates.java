package io.millrace.rest;

import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The rates of edges, computed from those of vertices. The rates of all edges out of a vertex add
 * up to the rate of its output, and those into it to the rate of its input. So the last edge of a
 * vertex without a rate has what the others leave. Edges that form a cycle of unknown ones, such as
 * those between two vertices that both feed the same two vertices, have no rate.
 */
final class EdgeRates {
  private final Map<VertexId, Side> inputs = new LinkedHashMap<>();
  private final Map<VertexId, Side> outputs = new LinkedHashMap<>();
  private final Map<Integer, Double> rates = new LinkedHashMap<>();

  /** All edges into a vertex, or all out of it. */
  private static final class Side {
    private final List<JobEdge> edges = new ArrayList<>();
    private double remaining;
    private int unknown;

    Side(double total) {
      remaining = total;
    }

    void add(JobEdge edge) {
      edges.add(edge);
      unknown++;
    }

    void subtract(double rate) {
      remaining -= rate;
      unknown--;
    }
  }

  private EdgeRates() {}

  /** The rate of each edge that has one, by its id. */
  static Map<Integer, Double> of(
      List<JobEdge> edges,
      ToDoubleFunction<VertexId> inputRate,
      ToDoubleFunction<VertexId> outputRate) {
    EdgeRates computed = new EdgeRates();
    for (JobEdge edge : edges) {
      computed
          .outputs
          .computeIfAbsent(edge.source(), vertex -> new Side(outputRate.applyAsDouble(vertex)))
          .add(edge);
      computed
          .inputs
          .computeIfAbsent(edge.target(), vertex -> new Side(inputRate.applyAsDouble(vertex)))
          .add(edge);
    }
    computed.solve();
    return computed.rates;
  }

  private void solve() {
    // Inputs first: they have the rate that arrived.
    Deque<Side> open = new ArrayDeque<>(inputs.values());
    open.addAll(outputs.values());
    while (!open.isEmpty()) {
      Side side = open.remove();
      if (side.unknown == 1) {
        JobEdge last =
            side.edges.stream()
                .filter(edge -> !rates.containsKey(edge.id()))
                .findFirst()
                .orElseThrow();
        // Both ends are not measured at the same time, so that less than nothing can remain.
        double rate = Math.max(0, side.remaining);
        rates.put(last.id(), rate);
        for (Side changed : List.of(outputs.get(last.source()), inputs.get(last.target()))) {
          changed.subtract(rate);
          open.add(changed);
        }
      }
    }
  }
}
