package io.millrace.graph;

import io.millrace.core.Ordered;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A job as the cluster takes it: chains of operators and the exchanges between them.
 *
 * @param vertices in topological order: an edge's source stands before its target
 * @param resources of one slot of each slot sharing group that declares any
 * @param configuration what the job was submitted with; restart strategy and the like are read here
 */
public record JobGraph(
    JobId id,
    String name,
    JobType type,
    List<JobVertex> vertices,
    List<JobEdge> edges,
    List<JarFile> jars,
    Map<String, ResourceProfile> resources,
    Configuration configuration) {

  public JobGraph {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(type);
    vertices = Ordered.list(vertices);
    edges = Ordered.list(edges);
    jars = Ordered.list(jars);
    resources = Ordered.map(resources);
    Objects.requireNonNull(configuration);
  }

  /** A job that declares no resources. */
  public JobGraph(
      JobId id,
      String name,
      JobType type,
      List<JobVertex> vertices,
      List<JobEdge> edges,
      List<JarFile> jars,
      Configuration configuration) {
    this(id, name, type, vertices, edges, jars, new LinkedHashMap<>(), configuration);
  }

  /** What a slot must have for one subtask of the vertex and those it shares the slot with. */
  public ResourceProfile resourcesOf(JobVertex vertex) {
    return resources.getOrDefault(vertex.slotSharingGroup(), ResourceProfile.UNSPECIFIED);
  }

  public JobVertex vertex(VertexId id) {
    return vertices.stream()
        .filter(vertex -> vertex.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No vertex " + id + " in job " + this.id));
  }

  /** The edges that end at a vertex, in the order of their ids. */
  public List<JobEdge> inputsOf(VertexId vertex) {
    return edges.stream().filter(edge -> edge.target().equals(vertex)).toList();
  }

  /** The edges that start at a vertex, in the order of their ids. */
  public List<JobEdge> outputsOf(VertexId vertex) {
    return edges.stream().filter(edge -> edge.source().equals(vertex)).toList();
  }

  /** This one without what its operators run: enough to show it, and small whatever they hold. */
  public JobGraph withoutFunctions() {
    return new JobGraph(
        id,
        name,
        type,
        vertices.stream().map(JobVertex::withoutFunctions).toList(),
        edges.stream().map(JobEdge::withoutFunctions).toList(),
        jars,
        resources,
        configuration);
  }

  public JobGraph withJars(List<JarFile> jars) {
    return new JobGraph(id, name, type, vertices, edges, jars, resources, configuration);
  }
}
