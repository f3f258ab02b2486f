package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Chaining;
import io.millrace.core.Bytes;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Translates a StreamGraph into a JobGraph. */
final class JobGraphGenerator {
  private final StreamGraph graph;
  private final boolean chaining;
  private final List<List<StreamEdge>> inputs = new ArrayList<>();

  /** For each node the head of its chain. */
  private final int[] headOf;

  /** For each node its index in its chain. */
  private final int[] indexInChain;

  JobGraphGenerator(StreamGraph graph) {
    this.graph = graph;
    this.chaining = graph.configuration().get(PipelineOptions.OPERATOR_CHAINING);
    this.headOf = new int[graph.nodes().size()];
    this.indexInChain = new int[graph.nodes().size()];
    graph.nodes().forEach(node -> inputs.add(new ArrayList<>()));
    graph.edges().forEach(edge -> inputs.get(edge.target()).add(edge));
  }

  JobGraph jobGraph(JobId id) {
    // Nodes follow their inputs, so chains grow from their heads and are in topological order.
    Map<Integer, List<Integer>> chains = new TreeMap<>();
    for (int node = 0; node < headOf.length; node++) {
      headOf[node] = isChained(node) ? headOf[inputs.get(node).get(0).source()] : node;
      List<Integer> chain = chains.computeIfAbsent(headOf[node], head -> new ArrayList<>());
      indexInChain[node] = chain.size();
      chain.add(node);
    }
    List<JobVertex> vertices = new ArrayList<>();
    List<JobEdge> edges = new ArrayList<>();
    chains.forEach(
        (head, chain) -> {
          vertices.add(vertex(head, chain));
          inputs.get(head).forEach(input -> edges.add(edge(edges.size(), input)));
        });
    return new JobGraph(
            id, graph.name(), graph.type(), vertices, edges, List.of(), graph.configuration())
        .withResources(graph.resources())
        .withSerializers(serializers());
  }

  private Bytes serializers() {
    return graph.serializers().isEmpty()
        ? Bytes.EMPTY
        : FunctionSerializer.of(new LinkedHashMap<>(graph.serializers()), "'registerSerializer'");
  }

  /** Whether a node runs in the same task as its input. */
  private boolean isChained(int target) {
    if (!chaining || inputs.get(target).size() != 1) {
      return false;
    }
    StreamEdge edge = inputs.get(target).get(0);
    StreamNode producer = graph.nodes().get(edge.source());
    StreamNode consumer = graph.nodes().get(target);
    return edge.partitioning() == Partitioning.FORWARD
        && producer.parallelism() == consumer.parallelism()
        && producer.slotSharingGroup().equals(consumer.slotSharingGroup())
        && producer.chaining() != Chaining.NEVER
        && consumer.chaining() == Chaining.ALWAYS;
  }

  private JobVertex vertex(int head, List<Integer> chain) {
    List<ChainedOperator> operators = new ArrayList<>();
    for (int member : chain) {
      StreamNode node = graph.nodes().get(member);
      int input = member == head ? -1 : indexInChain[inputs.get(member).get(0).source()];
      String tag = member == head ? "" : inputs.get(member).get(0).outputTag();
      operators.add(
          new ChainedOperator(
              node.id(),
              node.name(),
              input,
              tag,
              FunctionSerializer.of(node.spec(), labelled(node), graph.serializers()),
              node.description()));
    }
    StreamNode first = graph.nodes().get(head);
    List<DataSetId> dataSets = new ArrayList<>();
    for (int member : chain) {
      if (graph.nodes().get(member).spec() instanceof OperatorSpec.Cache cache) {
        dataSets.add(DataSetId.parse(cache.dataSet()));
      }
    }
    return new JobVertex(
        vertexId(head),
        ChainDescription.name(operators),
        first.parallelism(),
        first.maxParallelism(),
        first.slotSharingGroup(),
        operators,
        dataSets);
  }

  private JobEdge edge(int id, StreamEdge edge) {
    String label = labelled(graph.nodes().get(edge.target()));
    Bytes selector =
        edge.selector().map(value -> FunctionSerializer.of(value, label)).orElse(Bytes.EMPTY);
    return new JobEdge(
        id,
        vertexId(headOf[edge.source()]),
        indexInChain[edge.source()],
        vertexId(edge.target()),
        edge.targetInput(),
        edge.outputTag(),
        edge.partitioning(),
        selector);
  }

  /** {@code 'map' (Orders.java:42)}. */
  private static String labelled(StreamNode node) {
    return "'" + node.name() + "'" + node.line().map(line -> " (" + line + ")").orElse("");
  }

  private VertexId vertexId(int head) {
    return new VertexId(graph.nodes().get(head).id().value());
  }
}
