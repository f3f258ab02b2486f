package io.millrace.sim.scenario;

import io.millrace.core.Bytes;
import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimDataflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A job that ends and a second one that continues with its state, perhaps with another parallelism.
 *
 * @param before an endless job whose checkpoints are retained
 * @param after the job that continues: it has the operators of the first one
 */
record ResumedJob(SimJob before, SimJob after) {
  /** Draws both from a job with several vertices and without cached data sets. */
  static ResumedJob of(SimJob job, Random draws) {
    Configuration options =
        job.graph()
            .configuration()
            .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(800 + draws.nextInt(2_000)))
            .with(CheckpointingOptions.DIRECTORY, SimCheckpointStorage.ROOT)
            .with(CheckpointingOptions.TIMEOUT, Duration.ofMillis(2_000 + draws.nextInt(6_000)))
            .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 100_000)
            .with(CheckpointingOptions.NUM_RETAINED, 1 + draws.nextInt(2))
            .with(
                CheckpointingOptions.EXTERNALIZED_RETENTION,
                CheckpointRetention.RETAIN_ON_CANCELLATION);
    if (draws.nextBoolean()) {
      options = options.with(CheckpointingOptions.INLINE_THRESHOLD, MemorySize.parse("0 b"));
    }
    // Behind a hash partitioning each subtask gets records of all splits, whatever its number is.
    List<JobEdge> edges =
        job.graph().edges().stream()
            .map(
                edge ->
                    new JobEdge(
                        edge.id(),
                        edge.source(),
                        edge.sourceOperator(),
                        edge.target(),
                        edge.targetInput(),
                        edge.outputTag(),
                        Partitioning.HASH,
                        edge.selector()))
            .toList();
    JobGraph first =
        new JobGraph(
                job.id(),
                job.graph().name(),
                job.graph().type(),
                job.graph().vertices().stream()
                    .map(
                        vertex ->
                            with(
                                vertex,
                                vertex.parallelism(),
                                SimDataflow.splits(vertex) + draws.nextInt(4)))
                    .toList(),
                edges,
                job.graph().jars(),
                options)
            .withResources(job.graph().resources());
    JobGraph second =
        new JobGraph(
                JobId.random(draws),
                job.graph().name() + "-resumed",
                job.graph().type(),
                draws.nextInt(4) == 0 ? first.vertices() : rescaled(first, draws),
                edges,
                job.graph().jars(),
                options)
            .withResources(job.graph().resources());
    SimJob before = new SimJob(first, job.behaviour(), job.jars()).running(Duration.ZERO);
    return new ResumedJob(before, new SimJob(second, before.behaviour(), job.jars()));
  }

  /** Needs no more slots than before. */
  private static List<JobVertex> rescaled(JobGraph graph, Random draws) {
    Map<String, Integer> most = new LinkedHashMap<>();
    graph.vertices().forEach(v -> most.merge(v.slotSharingGroup(), v.parallelism(), Math::max));
    List<JobVertex> vertices = new ArrayList<>();
    for (JobVertex vertex : graph.vertices()) {
      int limit = most.get(vertex.slotSharingGroup());
      if (graph.inputsOf(vertex.id()).isEmpty()) {
        limit = Math.min(limit, SimDataflow.splits(vertex));
      }
      vertices.add(with(vertex, 1 + draws.nextInt(limit), SimDataflow.splits(vertex)));
    }
    return vertices;
  }

  /**
   * @param splits the number of splits if the vertex is a source
   */
  private static JobVertex with(JobVertex vertex, int parallelism, int splits) {
    ChainedOperator operator = vertex.operators().get(0);
    return new JobVertex(
        vertex.id(),
        vertex.name(),
        parallelism,
        vertex.maxParallelism(),
        vertex.slotSharingGroup(),
        List.of(
            new ChainedOperator(
                operator.id(),
                operator.name(),
                operator.input(),
                Bytes.utf8(String.valueOf(splits)))));
  }
}
