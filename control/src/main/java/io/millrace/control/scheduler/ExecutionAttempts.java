package io.millrace.control.scheduler;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The latest execution of each subtask, with counts of open and unfinished ones. */
final class ExecutionAttempts {
  final WorkerDeployments hosts = new WorkerDeployments();
  private final RandomGenerator random;
  private final JobProgress progress;
  private final Map<ExecutionId, Execution> latest = new HashMap<>();
  private int open;
  private int unfinished;

  ExecutionAttempts(RandomGenerator random, JobProgress progress) {
    this.random = random;
    this.progress = progress;
  }

  /** Starts a new execution, which replaces the previous one. The previous one has ended. */
  void begin(Subtask subtask, int number, ClockReading now) {
    Execution previous = subtask.current;
    if (previous != null) {
      latest.remove(previous.id);
      progress.forget(previous.state());
      progress.replaced(previous);
    }
    if (previous == null || previous.state() == TaskState.FINISHED) {
      unfinished++;
      subtask.slot.unfinished++;
    }
    subtask.current = new Execution(subtask, ExecutionId.random(random), number, now.wallMillis());
    latest.put(subtask.current.id, subtask.current);
    subtask.region.open++;
    open++;
    progress.count(TaskState.CREATED);
  }

  /** Gives a subtask that is not scheduled yet another execution. */
  void replace(Subtask subtask, ExecutionId id, int number, ClockReading now) {
    latest.remove(subtask.current.id);
    subtask.current = new Execution(subtask, id, number, now.wallMillis());
    latest.put(id, subtask.current);
  }

  void become(Execution execution, TaskState next, ClockReading now) {
    progress.forget(execution.state());
    execution.become(next, now.wallMillis());
    progress.count(next);
    if (next.isTerminal()) {
      hosts.ended(execution);
      execution.subtask.region.open--;
      open--;
      if (next == TaskState.FINISHED) {
        unfinished--;
        execution.subtask.slot.unfinished--;
      }
    }
  }

  Optional<Execution> latest(ExecutionId execution) {
    return Optional.ofNullable(latest.get(execution));
  }

  /** An execution that was deployed to a worker and has not ended. */
  Optional<Execution> active(WorkerId worker, ExecutionId execution) {
    return hosts.active(worker, execution);
  }

  List<Execution> active(WorkerId worker) {
    return hosts.active(worker);
  }

  /** The active executions of a worker in slots. */
  List<Execution> active(WorkerId worker, List<SharedSlot> slots) {
    List<Execution> active = new ArrayList<>();
    for (SharedSlot slot : slots) {
      for (Subtask subtask : slot.subtasks) {
        active(worker, subtask.current.id).ifPresent(active::add);
      }
    }
    return active;
  }

  /** The active executions of a share of a deployment. */
  List<Execution> active(SchedulerAction.Share share) {
    List<Execution> active = new ArrayList<>();
    share
        .tasks()
        .forEach(task -> active(share.worker(), task.task().execution()).ifPresent(active::add));
    return active;
  }

  boolean allEnded() {
    return open == 0;
  }

  boolean allFinished() {
    return unfinished == 0;
  }
}
