package io.millrace.worker.taskexecutor;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Deployment;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A task host that runs nothing; the test reports the states of tasks. */
final class FakeHost implements TaskHost {
  final List<Deployment> deployments = new ArrayList<>();
  final List<ClassLoader> loaders = new ArrayList<>();
  final List<ExecutionId> cancelled = new ArrayList<>();
  final List<JobId> released = new ArrayList<>();
  final Map<ExecutionId, TaskListener> listeners = new LinkedHashMap<>();

  final List<Long> completed = new ArrayList<>();
  final List<Long> aborted = new ArrayList<>();
  final List<Long> earlierAborted = new ArrayList<>();

  /** Partitions of finished tasks, by job. */
  final Map<JobId, List<ClusterPartition>> results = new LinkedHashMap<>();

  final List<ClusterPartition> kept = new ArrayList<>();
  final List<ExecutionId> keptOf = new ArrayList<>();

  /** Whether a cancelled task ends at once. */
  boolean obedient = true;

  boolean broken;

  /** The stack frame of its tasks. */
  Optional<String> line = Optional.of("com.example.Endless.map(Endless.java:7)");

  void report(ExecutionId execution, TaskState state) {
    Optional<Failure> failure =
        state == TaskState.FAILED
            ? Optional.of(Failure.of(ErrorKind.USER, "the function threw"))
            : Optional.empty();
    listeners.get(execution).stateChanged(execution, state, failure);
  }

  @Override
  public String dataAddress() {
    return "tm:7000";
  }

  @Override
  public void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener) {
    if (broken) {
      throw new IllegalStateException("the host is broken");
    }
    deployments.add(deployment);
    loaders.add(userClasses);
    deployment.tasks().forEach(task -> listeners.put(task.execution(), listener));
  }

  @Override
  public void checkpointCompleted(JobId job, long checkpoint) {
    completed.add(checkpoint);
  }

  @Override
  public void checkpointAborted(JobId job, long checkpoint) {
    aborted.add(checkpoint);
  }

  @Override
  public void earlierCheckpointsAborted(JobId job, long checkpoint) {
    earlierAborted.add(checkpoint);
  }

  @Override
  public void cancel(ExecutionId execution) {
    cancelled.add(execution);
    if (obedient) {
      report(execution, TaskState.CANCELED);
    }
  }

  @Override
  public Optional<String> whereabouts(ExecutionId execution) {
    return line;
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    return listeners.keySet().stream()
        .map(execution -> new TaskCounters(execution, 1, 2, 3, 4, 5, 6, 7))
        .toList();
  }

  @Override
  public boolean hasResultsOf(JobId job) {
    return results.containsKey(job);
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    results.values().forEach(left -> left.forEach(one -> kept.add(one.finishedIn(term))));
    results.clear();
    keptOf.addAll(executions);
  }

  @Override
  public List<ClusterPartition> kept() {
    return kept;
  }

  @Override
  public void drop(List<ClusterPartition> partitions) {
    kept.removeAll(partitions);
  }

  @Override
  public void release(JobId job) {
    results.remove(job);
    released.add(job);
  }

  @Override
  public void close() {}
}
