package io.millrace.sim.scenario;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.sim.SimTaskHost;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job and the behaviour of its tasks.
 *
 * @param jars the contents of the jars in its graph
 */
public record SimJob(JobGraph graph, SimTaskHost.Behaviour behaviour, List<Bytes> jars) {
  public SimJob {
    jars = OrderedCopies.list(jars);
  }

  /** A job without jars. */
  public SimJob(JobGraph graph, SimTaskHost.Behaviour behaviour) {
    this(graph, behaviour, List.of());
  }

  /** The same job with this client timeout. */
  SimJob endingWithItsClient(Duration timeout) {
    return new SimJob(graph.withClientTimeout(timeout), behaviour, jars);
  }

  /** The same job, whose tasks run for up to this long. */
  SimJob running(Duration longest) {
    return new SimJob(
        graph,
        new SimTaskHost.Behaviour(longest, behaviour.failing(), behaviour.longestCancellation()),
        jars);
  }

  /** The same job with other options. */
  public SimJob with(Configuration configuration) {
    return new SimJob(graph.withConfiguration(configuration), behaviour, jars);
  }

  /** The same job with the jars of another one. */
  SimJob withJarsOf(SimJob other) {
    return new SimJob(graph.withJars(other.graph.jars()), behaviour, other.jars);
  }

  public JobId id() {
    return graph.id();
  }

  /** The number of its tasks. */
  public int tasks() {
    return graph.vertices().stream().mapToInt(JobVertex::parallelism).sum();
  }

  /**
   * The slots that it needs: in each slot sharing group the highest parallelism of its vertices.
   */
  public int slots() {
    Map<String, Integer> groups = new TreeMap<>();
    graph
        .vertices()
        .forEach(
            vertex -> groups.merge(vertex.slotSharingGroup(), vertex.parallelism(), Math::max));
    return groups.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The number of its slots that are larger than a worker. */
  public int slotsBeyond(ResourceProfile worker) {
    Map<String, Integer> groups = new TreeMap<>();
    for (JobVertex vertex : graph.vertices()) {
      ResourceProfile slot = graph.resources().get(vertex.slotSharingGroup());
      if (slot != null && !worker.fits(slot)) {
        groups.merge(vertex.slotSharingGroup(), vertex.parallelism(), Math::max);
      }
    }
    return groups.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Its cached data sets. */
  public List<DataSetId> dataSets() {
    return graph.vertices().stream().flatMap(vertex -> vertex.dataSets().stream()).toList();
  }

  /** Whether it declares the resources of its slots. */
  public boolean declaresResources() {
    return !graph.resources().isEmpty();
  }
}
