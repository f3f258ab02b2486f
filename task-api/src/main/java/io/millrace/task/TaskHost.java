package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs tasks. A simulation seam: methods return at once and outcomes come to the listener. */
public interface TaskHost extends AutoCloseable {
  /** {@code host:port} at which other hosts reach this one's exchange. */
  String dataAddress();

  /**
   * Starts tasks. All inputs of the deployment's tasks exist before the first one runs. A task that
   * cannot be built is reported as FAILED like one that fails later.
   */
  void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener);

  /**
   * Ends a task; it is reported as CANCELED, or as what it became before. Unknown ones are ignored.
   */
  void cancel(ExecutionId execution);

  /** The line of the user's program that a task is in now, if the host can tell. */
  default Optional<String> whereabouts(ExecutionId execution) {
    return Optional.empty();
  }

  /** What the running tasks of a job have done so far, and those that ended in this deployment. */
  List<TaskCounters> counters(JobId job);

  /**
   * Whether finished tasks of a job have left partitions here of which nobody has said whether they
   * are to be kept. Never, like all that follows about results, at a host that leaves none.
   */
  default boolean hasResultsOf(JobId job) {
    return false;
  }

  /**
   * Lets what these tasks have left outlive their job, which has finished.
   *
   * @param term of the leader who says so
   */
  default void keep(long term, List<ExecutionId> executions) {}

  /** Everything that was kept and not dropped since. */
  default List<ClusterPartition> kept() {
    return new ArrayList<>();
  }

  /** Deletes partitions that were kept; unknown ones are ignored. */
  default void drop(List<ClusterPartition> partitions) {}

  /** Forgets everything of a job but what was kept; its tasks have ended. */
  void release(JobId job);

  @Override
  void close();
}
