package io.millrace.dataplane;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Builds job graphs by hand, vertex by vertex. */
public final class TestJobGraph {
  public static final int MAX_PARALLELISM = 128;

  private final JobId id = JobId.random(ThreadLocalRandom.current());
  private final List<JobVertex> vertices = new ArrayList<>();
  private final List<JobEdge> edges = new ArrayList<>();

  /** Adds a vertex whose operators feed each other in a row. */
  public JobVertex vertex(String name, int parallelism, OperatorSpec... operators) {
    List<ChainedOperator> chain = new ArrayList<>();
    for (int i = 0; i < operators.length; i++) {
      chain.add(
          new ChainedOperator(
              new OperatorId(new Id128(vertices.size(), i)),
              name + "-" + operators[i].getClass().getSimpleName(),
              i - 1,
              serialise(operators[i])));
    }
    JobVertex vertex =
        new JobVertex(
            new VertexId(new Id128(7, vertices.size())),
            name,
            parallelism,
            Math.max(MAX_PARALLELISM, parallelism),
            "default",
            chain);
    vertices.add(vertex);
    return vertex;
  }

  public TestJobGraph edge(JobVertex from, JobVertex to, Partitioning partitioning) {
    return edge(from, to, partitioning, Bytes.EMPTY);
  }

  public TestJobGraph edge(
      JobVertex from, JobVertex to, Partitioning partitioning, Serializable selector) {
    return edge(from, to, partitioning, serialise(selector));
  }

  private TestJobGraph edge(
      JobVertex from, JobVertex to, Partitioning partitioning, Bytes selector) {
    edges.add(
        new JobEdge(
            edges.size(),
            from.id(),
            from.operators().size() - 1,
            to.id(),
            0,
            partitioning,
            selector));
    return this;
  }

  public JobGraph build() {
    return new JobGraph(
        id, "test", JobType.STREAMING, vertices, edges, List.of(), Configuration.EMPTY);
  }

  public static Bytes serialise(Object value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }
}
