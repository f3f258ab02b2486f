package io.millrace.bench.scale;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.task.Deployment;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Tasks that do nothing until they are cancelled. The tasks of one deployment start together and
 * run a moment later, like idle tasks of the data plane.
 */
final class IdleTasks implements TaskHost {
  private static final int MAX_START_MILLIS = 20;

  private final Env env;
  private final Mailbox mailbox;
  private final String address;
  private final IntConsumer runningBy;
  private final Map<ExecutionId, Task> tasks = new LinkedHashMap<>();

  private static final class Task {
    private final JobId job;
    private final TaskListener listener;
    private boolean runs;

    Task(JobId job, TaskListener listener) {
      this.job = job;
      this.listener = listener;
    }
  }

  /**
   * @param runningBy called with the change of the number of running tasks
   */
  IdleTasks(VirtualProcess process, IntConsumer runningBy) {
    this.env = process;
    this.mailbox = process.mailbox("tasks");
    this.address = process.name();
    this.runningBy = runningBy;
  }

  @Override
  public String dataAddress() {
    return address;
  }

  @Override
  public void deploy(Deployment deployment, ClassLoader userClasses, TaskListener listener) {
    List<ExecutionId> executions = deployment.tasks().stream().map(TaskSpec::execution).toList();
    for (ExecutionId execution : executions) {
      tasks.put(execution, new Task(deployment.graph().id(), listener));
      listener.stateChanged(execution, TaskState.INITIALIZING, Optional.empty());
    }
    // Keeps no reference to the deployment, whose table of hosts is large.
    int pause = 1 + env.random("tasks").nextInt(MAX_START_MILLIS);
    mailbox.after(Duration.ofMillis(pause), () -> executions.forEach(this::run));
  }

  private void run(ExecutionId execution) {
    Task task = tasks.get(execution);
    if (task != null) {
      task.runs = true;
      runningBy.accept(1);
      task.listener.stateChanged(execution, TaskState.RUNNING, Optional.empty());
    }
  }

  @Override
  public void cancel(ExecutionId execution) {
    mailbox.post(
        () -> {
          Task task = tasks.remove(execution);
          if (task != null) {
            runningBy.accept(task.runs ? -1 : 0);
            task.listener.stateChanged(execution, TaskState.CANCELED, Optional.empty());
          }
        });
  }

  /** The process ends with its tasks. */
  void clear() {
    tasks.values().forEach(task -> runningBy.accept(task.runs ? -1 : 0));
    tasks.clear();
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    List<TaskCounters> counters = new ArrayList<>();
    tasks.forEach(
        (execution, task) -> {
          if (task.job.equals(job)) {
            counters.add(new TaskCounters(execution, 0, 0, 0, 0, 0, 0, env.wallMillis()));
          }
        });
    return counters;
  }

  @Override
  public void release(JobId job) {}

  @Override
  public void close() {
    tasks.clear();
  }
}
