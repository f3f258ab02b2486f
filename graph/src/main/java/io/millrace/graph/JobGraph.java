package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A job as a client submits it: vertices, which are chains of operators, and edges.
 *
 * @param vertices in topological order: the source of an edge precedes its target
 */
public record JobGraph(
    JobId id,
    String name,
    JobType type,
    List<JobVertex> vertices,
    List<JobEdge> edges,
    UserCode code,
    JobSettings settings) {

  public JobGraph {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(type);
    vertices = OrderedCopies.list(vertices);
    edges = OrderedCopies.list(edges);
    Objects.requireNonNull(code);
    Objects.requireNonNull(settings);
  }

  /** A job without serializers that declares no resources and does not end with its client. */
  public JobGraph(
      JobId id,
      String name,
      JobType type,
      List<JobVertex> vertices,
      List<JobEdge> edges,
      List<JarFile> jars,
      Configuration configuration) {
    this(
        id,
        name,
        type,
        vertices,
        edges,
        new UserCode(jars, Bytes.EMPTY, new ArrayList<>()),
        new JobSettings(configuration, new LinkedHashMap<>(), Optional.empty()));
  }

  /**
   * The code of a job besides the functions of its operators.
   *
   * @param serializers a serialised map of the program's serializers by class, empty if there are
   *     none; deserialised only in the job's class loader, like functions
   * @param files that functions open by name
   */
  public record UserCode(List<JarFile> jars, Bytes serializers, List<JobFile> files) {
    public UserCode {
      jars = OrderedCopies.list(jars);
      Objects.requireNonNull(serializers);
      files = OrderedCopies.list(files);
    }
  }

  /**
   * How a job runs.
   *
   * @param configuration of the job, such as its restart strategy
   * @param resources of one slot, by slot sharing group; only for groups that declare them
   * @param clientTimeout the time without a heartbeat of the client after which the job is
   *     cancelled; empty for a job that does not end with its client
   */
  public record JobSettings(
      Configuration configuration,
      Map<String, ResourceProfile> resources,
      Optional<Duration> clientTimeout) {
    public JobSettings {
      Objects.requireNonNull(configuration);
      resources = OrderedCopies.map(resources);
      clientTimeout.ifPresent(
          timeout -> {
            if (timeout.isNegative() || timeout.isZero()) {
              throw new IllegalArgumentException("clientTimeout must be > 0, not " + timeout);
            }
          });
    }
  }

  public List<JarFile> jars() {
    return code.jars();
  }

  public Bytes serializers() {
    return code.serializers();
  }

  public List<JobFile> files() {
    return code.files();
  }

  public Configuration configuration() {
    return settings.configuration();
  }

  public Map<String, ResourceProfile> resources() {
    return settings.resources();
  }

  public Optional<Duration> clientTimeout() {
    return settings.clientTimeout();
  }

  /** The resources of the slots of a vertex. */
  public ResourceProfile resourcesOf(JobVertex vertex) {
    return resources().getOrDefault(vertex.slotSharingGroup(), ResourceProfile.UNSPECIFIED);
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

  /** This graph without user functions: small, and enough to display it. */
  public JobGraph withoutFunctions() {
    return new JobGraph(
        id,
        name,
        type,
        vertices.stream().map(JobVertex::withoutFunctions).toList(),
        edges.stream().map(JobEdge::withoutFunctions).toList(),
        new UserCode(jars(), Bytes.EMPTY, files()),
        settings);
  }

  /** This graph with serializers. */
  JobGraph withSerializers(Bytes serializers) {
    return with(new UserCode(jars(), serializers, files()));
  }

  public JobGraph withJars(List<JarFile> jars) {
    return with(new UserCode(jars, serializers(), files()));
  }

  /** This graph with files that functions open. */
  public JobGraph withFiles(List<JobFile> files) {
    return with(new UserCode(jars(), serializers(), files));
  }

  private JobGraph with(UserCode other) {
    return new JobGraph(id, name, type, vertices, edges, other, settings);
  }

  public JobGraph withConfiguration(Configuration configuration) {
    return with(new JobSettings(configuration, resources(), clientTimeout()));
  }

  /** This graph with the resources of one slot, by slot sharing group. */
  public JobGraph withResources(Map<String, ResourceProfile> resources) {
    return with(new JobSettings(configuration(), resources, clientTimeout()));
  }

  /** This graph with a client timeout. */
  public JobGraph withClientTimeout(Duration timeout) {
    return with(new JobSettings(configuration(), resources(), Optional.of(timeout)));
  }

  private JobGraph with(JobSettings other) {
    return new JobGraph(id, name, type, vertices, edges, code, other);
  }
}
