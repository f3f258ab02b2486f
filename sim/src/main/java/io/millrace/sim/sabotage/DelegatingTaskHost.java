package io.millrace.sim.sabotage;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Deployment;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;

/** Delegates to another task host. */
class DelegatingTaskHost implements TaskHost {
  private final TaskHost real;

  DelegatingTaskHost(TaskHost real) {
    this.real = real;
  }

  @Override
  public String dataAddress() {
    return real.dataAddress();
  }

  @Override
  public void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener) {
    real.deploy(deployment, userClasses, listener);
  }

  @Override
  public void triggerCheckpoint(JobId job, CheckpointRequest request, List<ExecutionId> sources) {
    real.triggerCheckpoint(job, request, sources);
  }

  @Override
  public void checkpointCompleted(JobId job, long checkpoint) {
    real.checkpointCompleted(job, checkpoint);
  }

  @Override
  public void checkpointAborted(JobId job, long checkpoint) {
    real.checkpointAborted(job, checkpoint);
  }

  @Override
  public void earlierCheckpointsAborted(JobId job, long checkpoint) {
    real.earlierCheckpointsAborted(job, checkpoint);
  }

  @Override
  public void cancel(ExecutionId execution) {
    real.cancel(execution);
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    return real.counters(job);
  }

  @Override
  public boolean hasResultsOf(JobId job) {
    return real.hasResultsOf(job);
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    real.keep(term, executions);
  }

  @Override
  public List<ClusterPartition> kept() {
    return real.kept();
  }

  @Override
  public void drop(List<ClusterPartition> partitions) {
    real.drop(partitions);
  }

  @Override
  public void release(JobId job) {
    real.release(job);
  }

  @Override
  public void close() {
    real.close();
  }
}
