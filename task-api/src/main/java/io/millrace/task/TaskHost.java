package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs tasks. Methods return immediately, and the listener gets the results. */
public interface TaskHost extends AutoCloseable {
  /** {@code host:port} of the data port. */
  String dataAddress();

  /**
   * Starts the tasks of a deployment. All inputs exist before the first task runs. A task that
   * cannot be created is reported as FAILED.
   */
  void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener);

  /**
   * Cancels a task. It is reported as CANCELED, or with the final state that it reached before. An
   * unknown task is ignored.
   */
  void cancel(ExecutionId execution);

  /**
   * Takes a checkpoint. Barriers start at the given tasks, which have no input that still sends,
   * and pass through all tasks downstream. The listener of each task gets its snapshot when that is
   * stored, or hears that it failed. An unknown task, or one that has ended, declines at once.
   *
   * @param sources the tasks of this host at which barriers start; empty if they start elsewhere
   */
  default void triggerCheckpoint(JobId job, CheckpointRequest request, List<ExecutionId> sources) {}

  /** The checkpoint is durable and will be the one that a failure goes back to. */
  default void checkpointCompleted(JobId job, long checkpoint) {}

  /** The checkpoint will not complete: its barriers are forgotten and its files may be deleted. */
  default void checkpointAborted(JobId job, long checkpoint) {}

  /**
   * No checkpoint before this one will complete any more: what still waits for the outcome of an
   * earlier one hears that it is aborted. A source waits for that of the savepoint that stops it.
   */
  default void earlierCheckpointsAborted(JobId job, long checkpoint) {}

  /** The line of the user's program that a task executes now, if known. */
  default Optional<String> whereabouts(ExecutionId execution) {
    return Optional.empty();
  }

  /**
   * What these tasks do now; unknown tasks and tasks that have ended are left out.
   *
   * @param depth how many frames of a stack are kept, from its outer end on
   */
  default List<TaskStack> stacks(List<ExecutionId> executions, int depth) {
    return new ArrayList<>();
  }

  /** The counters of a job's tasks, including ended tasks of its last deployments. */
  List<TaskCounters> counters(JobId job);

  /**
   * The metrics of a job's tasks that run, without tasks that have none. Calls code of the program,
   * which may take long.
   */
  default List<TaskMetricReadings> metrics(JobId job) {
    return new ArrayList<>();
  }

  /**
   * Whether finished tasks of a job have partitions that are neither promoted nor released. This
   * and the following methods do nothing on a host without partitions.
   */
  default boolean hasResultsOf(JobId job) {
    return false;
  }

  /**
   * Promotes the partitions of tasks to cluster partitions, because their job has finished.
   *
   * @param term the term of the leader that requests it
   */
  default void keep(long term, List<ExecutionId> executions) {}

  /** All cluster partitions. */
  default List<ClusterPartition> kept() {
    return new ArrayList<>();
  }

  /** Deletes cluster partitions; unknown ones are ignored. */
  default void drop(List<ClusterPartition> partitions) {}

  /** Releases all data of a job except for cluster partitions; its tasks have ended. */
  void release(JobId job);

  @Override
  void close();
}
