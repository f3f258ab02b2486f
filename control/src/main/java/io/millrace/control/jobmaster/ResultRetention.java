package io.millrace.control.jobmaster;

import io.millrace.core.error.Failure;
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

/** Makes workers keep the cached data sets of a finished job. */
final class ResultRetention {
  private static final Logger LOG = LoggerFactory.getLogger(ResultRetention.class);

  private ResultRetention() {}

  static boolean isNeeded(JobGraph graph) {
    return graph.vertices().stream().anyMatch(vertex -> !vertex.dataSets().isEmpty());
  }

  /**
   * Sends each worker the executions whose partitions are kept. Completes when all workers have
   * answered or cannot be reached: a missing partition makes its data set incomplete, which only
   * costs a later job time.
   */
  static CompletableFuture<Void> keepPartitions(
      JobDetails job, LeaderToken leader, JobTaskManagerRegistry workers) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Map.Entry<WorkerId, List<ExecutionId>> entry : executionsByWorker(job).entrySet()) {
      Optional<JobTaskManagerRegistry.Link> link = workers.find(entry.getKey());
      if (link.isEmpty()) {
        LOG.info(
            "Job {}: {} is lost with its partitions of a cached data set",
            job.id(),
            entry.getKey());
        continue;
      }
      all =
          all.thenCombine(
              link.get()
                  .gateway
                  .keepPartitions(new KeepPartitions(job.id(), leader, entry.getValue()))
                  .handle((done, failure) -> answered(job, entry.getKey(), failure)),
              (before, answered) -> null);
    }
    return all;
  }

  private static Acknowledge answered(JobDetails job, WorkerId worker, Throwable failure) {
    if (failure != null) {
      LOG.info(
          "Job {}: {} has not acknowledged that it keeps its partitions: {}",
          job.id(),
          worker,
          Failure.sentence(Failure.unwrap(failure)));
    }
    return Acknowledge.INSTANCE;
  }

  private static Map<WorkerId, List<ExecutionId>> executionsByWorker(JobDetails job) {
    Map<WorkerId, List<ExecutionId>> executions = new TreeMap<>();
    for (VertexDetails vertex : job.vertices()) {
      if (job.graph().vertex(vertex.id()).dataSets().isEmpty()) {
        continue;
      }
      for (SubtaskDetails subtask : vertex.subtasks()) {
        if (subtask.state() == TaskState.FINISHED && subtask.worker().isPresent()) {
          executions
              .computeIfAbsent(subtask.worker().get(), worker -> new ArrayList<>())
              .add(subtask.execution());
        }
      }
    }
    return executions;
  }
}
