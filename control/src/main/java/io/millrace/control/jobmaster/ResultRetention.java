package io.millrace.control.jobmaster;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.TaskManagerGateway.KeepPartitions;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has workers keep what the tasks of a finished job have left for later jobs. */
final class ResultRetention {
  private static final Logger LOG = LoggerFactory.getLogger(ResultRetention.class);

  private ResultRetention() {}

  static boolean has(JobGraph graph) {
    return graph.vertices().stream().anyMatch(vertex -> !vertex.dataSets().isEmpty());
  }

  /**
   * Tells each worker which attempts count. Completes when all have answered or are known not to:
   * what one does not keep makes its data set incomplete, which costs a later job time and nothing
   * else.
   */
  static CompletableFuture<Void> keep(
      JobDetails job, LeaderToken leader, JobTaskManagerRegistry workers) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Map.Entry<WorkerId, List<ExecutionId>> share : shares(job).entrySet()) {
      Optional<JobTaskManagerRegistry.Link> link = workers.find(share.getKey());
      if (link.isEmpty()) {
        LOG.info("Job {}: {} is gone with its part of a result", job.id(), share.getKey());
        continue;
      }
      all =
          all.thenCombine(
              link.get()
                  .gateway
                  .keepPartitions(new KeepPartitions(job.id(), leader, share.getValue()))
                  .handle((done, failure) -> answered(job, share.getKey(), failure)),
              (before, answered) -> null);
    }
    return all;
  }

  private static Acknowledge answered(JobDetails job, WorkerId worker, Throwable failure) {
    if (failure != null) {
      LOG.info(
          "Job {}: {} does not confirm that it keeps its part of a result: {}",
          job.id(),
          worker,
          failure.getMessage());
    }
    return Acknowledge.INSTANCE;
  }

  private static Map<WorkerId, List<ExecutionId>> shares(JobDetails job) {
    Map<WorkerId, List<ExecutionId>> shares = new TreeMap<>();
    for (VertexDetails vertex : job.vertices()) {
      if (job.graph().vertex(vertex.id()).dataSets().isEmpty()) {
        continue;
      }
      for (SubtaskDetails subtask : vertex.subtasks()) {
        if (subtask.state() == TaskState.FINISHED && subtask.worker().isPresent()) {
          shares
              .computeIfAbsent(subtask.worker().get(), worker -> new ArrayList<>())
              .add(subtask.execution());
        }
      }
    }
    return shares;
  }
}
