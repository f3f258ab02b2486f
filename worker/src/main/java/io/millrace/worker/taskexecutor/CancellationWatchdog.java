package io.millrace.worker.taskexecutor;

import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.text.ReasonException;
import io.millrace.rpc.Mailbox;
import io.millrace.task.TaskSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Ends the process if a task of a job was cancelled or has failed and does not end in time: its
 * user code ignores the interruption and keeps a slot.
 */
final class CancellationWatchdog {
  private final TaskExecutorContext worker;
  private final JobId job;
  private final Supplier<Stream<JobGraph>> graphs;
  private final Function<ExecutionId, Optional<HostedTask>> live;
  private final List<Mailbox.Timer> timers = new ArrayList<>();

  /**
   * @param graphs of the job, as far as they are loaded
   * @param live finds a task that has not ended
   */
  CancellationWatchdog(
      TaskExecutorContext worker,
      JobId job,
      Supplier<Stream<JobGraph>> graphs,
      Function<ExecutionId, Optional<HostedTask>> live) {
    this.worker = worker;
    this.job = job;
    this.graphs = graphs;
    this.live = live;
  }

  void cancelled(List<ExecutionId> executions) {
    Duration timeout = timeout();
    if (!executions.isEmpty() && isEnabled(timeout)) {
      timers.add(worker.mailbox().after(timeout, () -> checkEnded(executions, timeout, false)));
    }
  }

  /** A failed task is not cancelled, so the time-out of its user code starts here. */
  void failing(HostedTask task) {
    Duration timeout = timeout();
    if (task.watchdog.isEmpty() && isEnabled(timeout)) {
      List<ExecutionId> execution = List.of(task.spec.execution());
      task.watchdog =
          Optional.of(worker.mailbox().after(timeout, () -> checkEnded(execution, timeout, true)));
    }
  }

  void close() {
    timers.forEach(Mailbox.Timer::cancel);
    timers.clear();
  }

  /** The time-out of the job, or that of the worker if the job sets none. */
  private Duration timeout() {
    return graphs
        .get()
        .map(JobGraph::configuration)
        .filter(
            configuration -> configuration.contains(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .map(configuration -> configuration.get(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .findFirst()
        .orElse(worker.settings().cancellationTimeout());
  }

  private static boolean isEnabled(Duration timeout) {
    return !timeout.isNegative() && !timeout.isZero();
  }

  /**
   * @param failed whether the tasks have failed; otherwise they were cancelled
   */
  private void checkEnded(List<ExecutionId> executions, Duration timeout, boolean failed) {
    for (ExecutionId execution : executions) {
      Optional<HostedTask> task = live.apply(execution);
      if (task.isPresent()) {
        worker.fatal().accept(notEnded(task.get().spec, timeout, failed));
        return;
      }
    }
  }

  private MillraceException notEnded(TaskSpec task, Duration timeout, boolean failed) {
    Optional<String> line = worker.host().whereabouts(task.execution());
    return new ReasonException(
        line.isPresent() ? ErrorKind.USER : ErrorKind.BUG,
        new TaskNotEnded(nameOf(task), job, timeout, failed, line));
  }

  private String nameOf(TaskSpec task) {
    return graphs
        .get()
        .flatMap(graph -> graph.vertices().stream())
        .filter(vertex -> vertex.id().equals(task.vertex()))
        .map(
            vertex ->
                "'%s' (%d/%d)".formatted(vertex.name(), task.subtask() + 1, vertex.parallelism()))
        .findFirst()
        .orElse(task.execution().toString());
  }
}
