package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointRecovery;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import java.util.List;
import java.util.Objects;

/**
 * What a new leader of a job starts with.
 *
 * @param checkpoints the state with which tasks start
 * @param deployment the tasks of the leader before, which may still run
 */
record TaskRecovery(CheckpointRecovery checkpoints, StoredDeployment deployment) {
  /** The record of more tasks does not fit into a node of ZooKeeper. */
  private static final int MAX_TASKS = 10_000;

  /**
   * TaskManagers remember as many aborted checkpoints, whose barriers may still come. They and the
   * loop over their numbers are a limit that no job reaches whose checkpoints complete.
   */
  private static final long MAX_ABORTED = 64;

  TaskRecovery {
    Objects.requireNonNull(checkpoints);
    Objects.requireNonNull(deployment);
  }

  /**
   * Whether TaskManagers keep the tasks of a job for its next leader. The partitions of cached data
   * sets belong to the leader that deployed their tasks.
   *
   * @param settings of the job and the cluster
   */
  static boolean keepsTasks(JobGraph graph, Configuration settings) {
    return settings.get(ExecutionOptions.ADOPT_TASKS)
        && !ResultRetention.isNeeded(graph)
        && graph.vertices().stream().mapToInt(JobVertex::parallelism).sum() <= MAX_TASKS;
  }

  /**
   * Whether tasks of the leader before can go on. If the last checkpoint is damaged, tasks that go
   * on could not go back to it. If it is the savepoint of a stop, they may have ended because of
   * it.
   */
  boolean mayAdopt() {
    List<CompletedCheckpoint> completed = checkpoints.completed();
    CheckpointOutcomes outcomes = outcomes();
    return !deployment.isEmpty()
        && checkpoints.abandoned().isEmpty()
        && (completed.isEmpty() || !completed.get(completed.size() - 1).type().stops())
        && outcomes.last() - outcomes.completed() <= MAX_ABORTED;
  }

  /** No write of an earlier leader succeeds any more, so that these are final. */
  CheckpointOutcomes outcomes() {
    List<CompletedCheckpoint> completed = checkpoints.completed();
    long last =
        completed.isEmpty()
            ? checkpoints.restore().map(RestoredCheckpoint::number).orElse(0L)
            : completed.get(completed.size() - 1).number();
    return new CheckpointOutcomes(last, Math.max(last, checkpoints.lastNumber()));
  }
}
