package io.millrace.rest;

import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** A job graph as dashboards draw it. */
final class PlanView {
  private PlanView() {}

  static JsonObject of(JobGraph graph) {
    return new JsonObject()
        .put("jid", graph.id().toString())
        .put("name", graph.name())
        .put("type", graph.type().name())
        .put("nodes", Json.array(graph.vertices(), vertex -> node(graph, vertex)));
  }

  private static JsonObject node(JobGraph graph, JobVertex vertex) {
    JsonObject node =
        new JsonObject()
            .put("id", vertex.id().toString())
            .put("operator", "")
            .put("parallelism", vertex.parallelism())
            .put("operator_strategy", "")
            .put("description", description(vertex.operators()))
            .put("optimizer_properties", new JsonObject());
    JsonArray inputs = new JsonArray();
    for (JobEdge edge : graph.inputsOf(vertex.id())) {
      inputs.add(
          new JsonObject()
              .put("id", edge.source().toString())
              .put("num", inputs.size())
              .put("exchange", "pipelined_bounded")
              .put("ship_strategy", edge.partitioning().name()));
    }
    return inputs.isEmpty() ? node : node.put("inputs", inputs);
  }

  /** The chain as a tree, one operator a line. */
  private static String description(List<ChainedOperator> operators) {
    StringBuilder text = new StringBuilder();
    int[] depth = new int[operators.size()];
    for (int i = 0; i < operators.size(); i++) {
      ChainedOperator operator = operators.get(i);
      depth[i] = operator.input() < 0 ? 0 : depth[operator.input()] + 1;
      if (depth[i] > 0) {
        text.append("   ".repeat(depth[i] - 1)).append("+- ");
      }
      text.append(escaped(operator.name())).append("<br/>");
    }
    return text.toString();
  }

  /** Dashboards show the description as markup, so that a name must not be any. */
  private static String escaped(String name) {
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
