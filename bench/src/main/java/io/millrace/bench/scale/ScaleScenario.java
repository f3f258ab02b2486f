package io.millrace.bench.scale;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The jobs of the cluster: source and sink with slot sharing, on all slots. */
enum ScaleScenario {
  LANES("One job, a region a slot", Partitioning.FORWARD, 1),
  HASH("One job, one region", Partitioning.HASH, 1),
  JOBS("1,000 jobs, a region each", Partitioning.HASH, 1000);

  private final String title;
  private final Partitioning partitioning;
  private final int jobs;

  ScaleScenario(String title, Partitioning partitioning, int jobs) {
    this.title = title;
    this.partitioning = partitioning;
    this.jobs = jobs;
  }

  String title() {
    return title;
  }

  /** The jobs that together use the given slots. */
  List<JobGraph> graphs(int slots) {
    int count = Math.min(jobs, slots);
    return IntStream.range(0, count)
        .mapToObj(number -> graph(number, slots / count + (number < slots % count ? 1 : 0)))
        .toList();
  }

  private JobGraph graph(int number, int parallelism) {
    Configuration configuration =
        Configuration.EMPTY
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1_000_000)
            .with(RestartStrategyOptions.FIXED_DELAY, "1 s");
    JobVertex source = vertex("source", 1, parallelism);
    JobVertex sink = vertex("sink", 2, parallelism);
    JobEdge edge = new JobEdge(0, source.id(), 0, sink.id(), 0, partitioning, Bytes.EMPTY);
    return new JobGraph(
        new JobId(new Id128(1, number)),
        "job " + number,
        JobType.STREAMING,
        List.of(source, sink),
        List.of(edge),
        new ArrayList<>(),
        configuration);
  }

  private static JobVertex vertex(String name, int number, int parallelism) {
    return new JobVertex(
        new VertexId(new Id128(2, number)),
        name,
        parallelism,
        Math.max(128, parallelism),
        "default",
        List.of(new ChainedOperator(new OperatorId(new Id128(3, number)), name, -1, Bytes.EMPTY)));
  }
}
