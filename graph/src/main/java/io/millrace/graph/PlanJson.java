package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Renders graphs in the JSON format of Flink's tools. */
final class PlanJson {
  private PlanJson() {}

  static String of(StreamGraph graph) {
    List<Object> nodes = new ArrayList<>();
    for (int i = 0; i < graph.nodes().size(); i++) {
      nodes.add(node(graph, i));
    }
    return JsonWriter.of(object("nodes", nodes));
  }

  private static Map<String, Object> node(StreamGraph graph, int position) {
    StreamNode node = graph.nodes().get(position);
    // Visualisers number nodes from 1.
    Map<String, Object> json = object("id", position + 1);
    json.put("operator_id", node.id());
    json.put("type", node.name());
    json.put("pact", pact(node.spec()));
    json.put("contents", node.description());
    json.put("parallelism", node.parallelism());
    json.put("max_parallelism", node.maxParallelism());
    json.put("slot_sharing_group", node.slotSharingGroup());
    Optional.ofNullable(graph.resources().get(node.slotSharingGroup()))
        .ifPresent(declared -> json.put("resources", resources(declared)));
    List<Object> predecessors = new ArrayList<>();
    for (StreamEdge edge : graph.inputsOf(position)) {
      Map<String, Object> predecessor = object("id", edge.source() + 1);
      predecessor.put("ship_strategy", edge.partitioning());
      predecessor.put("side", "second");
      predecessors.add(predecessor);
    }
    if (!predecessors.isEmpty()) {
      json.put("predecessors", predecessors);
    }
    return json;
  }

  private static String pact(OperatorSpec spec) {
    if (spec instanceof OperatorSpec.Source
        || spec instanceof OperatorSpec.Enumerate
        || spec instanceof OperatorSpec.ReadCached) {
      return "Data Source";
    }
    boolean sink =
        spec instanceof OperatorSpec.Sink
            || spec instanceof OperatorSpec.GlobalCommit
            || spec instanceof OperatorSpec.Collect;
    return sink ? "Data Sink" : "Operator";
  }

  static String of(JobGraph graph) {
    Map<String, Object> plan = object("jid", graph.id());
    plan.put("name", graph.name());
    plan.put("type", graph.type());
    List<Object> nodes = new ArrayList<>();
    graph.vertices().forEach(vertex -> nodes.add(node(graph, vertex)));
    plan.put("nodes", nodes);
    return JsonWriter.of(plan);
  }

  private static Map<String, Object> node(JobGraph graph, JobVertex vertex) {
    Map<String, Object> json = object("id", vertex.id());
    json.put("operator", "");
    json.put("parallelism", vertex.parallelism());
    json.put("operator_strategy", "");
    json.put("description", ChainDescription.tree(vertex.operators()));
    json.put("optimizer_properties", new LinkedHashMap<>());
    ResourceProfile declared = graph.resourcesOf(vertex);
    if (!declared.isUnspecified()) {
      json.put("slot_sharing_group", vertex.slotSharingGroup());
      json.put("resources", resources(declared));
    }
    List<Object> inputs = new ArrayList<>();
    for (JobEdge edge : graph.inputsOf(vertex.id())) {
      Map<String, Object> input = object("id", edge.source());
      input.put("num", inputs.size());
      input.put("exchange", "pipelined_bounded");
      input.put("ship_strategy", edge.partitioning());
      inputs.add(input);
    }
    if (!inputs.isEmpty()) {
      json.put("inputs", inputs);
    }
    return json;
  }

  /** Uses the keys of REST; memory is in bytes, because it may be less than a megabyte. */
  private static Map<String, Object> resources(ResourceProfile declared) {
    Map<String, Object> json = object("cpuCores", declared.cpuCores());
    json.put("taskHeapMemory", declared.taskHeap());
    json.put("taskOffHeapMemory", declared.taskOffHeap());
    json.put("managedMemory", declared.managed());
    json.put("extendedResources", declared.external());
    return json;
  }

  private static Map<String, Object> object(String key, Object value) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put(key, value);
    return object;
  }
}
