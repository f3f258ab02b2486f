package io.millrace.graph;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The operators of a program before chaining, each once. Unions and partitioning are properties of
 * edges.
 *
 * @param nodes each after its inputs
 * @param edges by target, then in the order of the inputs in the program
 * @param resources of one slot, by slot sharing group; only for groups that declare them
 * @param serializers by the class whose objects they write
 */
public record StreamGraph(
    String name,
    JobType type,
    List<StreamNode> nodes,
    List<StreamEdge> edges,
    Map<String, ResourceProfile> resources,
    Configuration configuration,
    Map<Class<?>, Serializer<?>> serializers) {
  public StreamGraph {
    Objects.requireNonNull(name);
    Objects.requireNonNull(type);
    nodes = OrderedCopies.list(nodes);
    edges = OrderedCopies.list(edges);
    resources = OrderedCopies.map(resources);
    Objects.requireNonNull(configuration);
    serializers = OrderedCopies.map(serializers);
  }

  /** The edges that end at a node. */
  public List<StreamEdge> inputsOf(int node) {
    return edges.stream().filter(edge -> edge.target() == node).toList();
  }
}
