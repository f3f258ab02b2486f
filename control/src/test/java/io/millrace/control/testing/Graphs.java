package io.millrace.control.testing;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds small job graphs. */
public final class Graphs {
  private final JobId id;
  private final List<JobVertex> vertices = new ArrayList<>();
  private final List<JobEdge> edges = new ArrayList<>();
  private final Map<String, ResourceProfile> resources = new LinkedHashMap<>();
  private Configuration configuration = Configuration.EMPTY;

  public Graphs(long id) {
    this.id = new JobId(new Id128(7, id));
  }

  /** A source and a sink with a hash exchange between them. */
  public static Graphs pair(int parallelism) {
    return new Graphs(1)
        .vertex("source", parallelism)
        .vertex("sink", parallelism)
        .edge(0, 1, Partitioning.HASH);
  }

  /** A source and a sink with a forward edge: as many regions as subtasks. */
  public static Graphs lanes(int parallelism) {
    return new Graphs(1)
        .vertex("source", parallelism)
        .vertex("sink", parallelism)
        .edge(0, 1, Partitioning.FORWARD);
  }

  public Graphs vertex(String name, int parallelism) {
    return vertex(name, parallelism, "default");
  }

  public Graphs vertex(String name, int parallelism, String group) {
    int number = vertices.size();
    vertices.add(
        new JobVertex(
            new VertexId(new Id128(8, number)),
            name,
            parallelism,
            Math.max(128, parallelism),
            group,
            List.of(
                new ChainedOperator(new OperatorId(new Id128(9, number)), name, -1, Bytes.EMPTY))));
    return this;
  }

  /** Makes the vertex produce a cached data set. */
  public Graphs keeps(int vertex, DataSetId dataSet) {
    JobVertex old = vertices.get(vertex);
    vertices.set(
        vertex,
        new JobVertex(
            old.id(),
            old.name(),
            old.parallelism(),
            old.maxParallelism(),
            old.slotSharingGroup(),
            old.operators(),
            List.of(dataSet)));
    return this;
  }

  public Graphs edge(int source, int target, Partitioning partitioning) {
    edges.add(
        new JobEdge(
            edges.size(),
            vertices.get(source).id(),
            0,
            vertices.get(target).id(),
            0,
            partitioning,
            Bytes.EMPTY));
    return this;
  }

  public Graphs restarts(int attempts, Duration delay) {
    configuration =
        configuration
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, attempts)
            .with(RestartStrategyOptions.FIXED_DELAY, delay.toMillis() + " ms");
    return this;
  }

  /** Sets an option of the job. */
  public Graphs set(Option<?> option, String value) {
    configuration = configuration.with(option.key(), value);
    return this;
  }

  /** Declares the resources of the slots of a group. */
  public Graphs resources(String group, ResourceProfile profile) {
    resources.put(group, profile);
    return this;
  }

  public JobGraph build() {
    return new JobGraph(
            id, "job " + id, JobType.STREAMING, vertices, edges, List.of(), configuration)
        .withResources(resources);
  }
}
