package io.millrace.graph;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A program's operators, each once, before any of them are chained. Unions and routing are
 * properties of edges.
 *
 * @param nodes each after those it reads from
 * @param edges by target, then in the order the program names the inputs
 * @param resources of one slot of each slot sharing group that declares any
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
