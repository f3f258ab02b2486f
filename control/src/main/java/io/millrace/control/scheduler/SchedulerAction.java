package io.millrace.control.scheduler;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** What the scheduler wants done. */
public sealed interface SchedulerAction {

  /**
   * Start tasks: one message to each worker.
   *
   * @param number see {@link io.millrace.task.Deployment#number()}
   */
  record Deploy(long number, List<Share> shares) implements SchedulerAction {
    public Deploy {
      shares = OrderedCopies.list(shares);
    }

    public int tasks() {
      return shares.stream().mapToInt(share -> share.tasks().size()).sum();
    }
  }

  /**
   * The part of a deployment that one worker gets.
   *
   * @param placement see {@link io.millrace.protocol.TaskManagerGateway.DeployTasks#placement()}
   */
  record Share(WorkerId worker, List<TaskInSlot> tasks, List<PlacementTable> placement) {
    public Share {
      Objects.requireNonNull(worker);
      tasks = OrderedCopies.list(tasks);
      placement = OrderedCopies.list(placement);
    }
  }

  /** End tasks. Repeating it does no harm. */
  record Cancel(WorkerId worker, List<ExecutionId> executions) implements SchedulerAction {
    public Cancel {
      Objects.requireNonNull(worker);
      executions = OrderedCopies.list(executions);
    }
  }

  /**
   * Say {@link Scheduler#restartDue} after the delay. What these regions collected for the client
   * so far is void.
   */
  record Restart(long failover, int attempt, Duration delay, List<Integer> regions, Reason reason)
      implements SchedulerAction {
    public Restart {
      Objects.requireNonNull(delay);
      regions = OrderedCopies.list(regions);
      Objects.requireNonNull(reason);
    }
  }

  /** The job has gone from one state to the next. */
  record StatusChanged(JobStatus before, JobStatus now, Reason reason) implements SchedulerAction {
    public StatusChanged {
      Objects.requireNonNull(before);
      Objects.requireNonNull(now);
      Objects.requireNonNull(reason);
    }
  }

  /** Every task runs now, or has finished already. */
  record AllRunning(int tasks) implements SchedulerAction {}

  /** The job has ended for good. Nothing comes after this. */
  record Ended(JobResult result) implements SchedulerAction {
    public Ended {
      Objects.requireNonNull(result);
    }
  }
}
