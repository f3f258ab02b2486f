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
import java.util.OptionalLong;

/** An action of the scheduler, which the JobMaster carries out. */
public sealed interface SchedulerAction {

  /**
   * Deploys tasks, with one message per worker.
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
   * The part of a deployment for one worker.
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

  /**
   * Adopts tasks of the leader before. All other tasks that TaskManagers have kept are cancelled.
   *
   * @param shares the adopted tasks, without placement
   * @param restarted the number of tasks that start again
   */
  record Adopt(List<Share> shares, int restarted) implements SchedulerAction {
    public Adopt {
      shares = OrderedCopies.list(shares);
    }

    public int tasks() {
      return shares.stream().mapToInt(share -> share.tasks().size()).sum();
    }
  }

  /** Cancels tasks. Idempotent. */
  record Cancel(WorkerId worker, List<ExecutionId> executions) implements SchedulerAction {
    public Cancel {
      Objects.requireNonNull(worker);
      executions = OrderedCopies.list(executions);
    }
  }

  /**
   * Calls {@link Scheduler#restartDue} after the delay. Records that these regions have collected
   * for the client are discarded.
   *
   * @param unusableCheckpoint the checkpoint that tasks were deployed with and whose state they
   *     could not use
   */
  record Restart(
      long failover,
      int attempt,
      Duration delay,
      List<Integer> regions,
      Reason reason,
      OptionalLong unusableCheckpoint)
      implements SchedulerAction {
    public Restart {
      Objects.requireNonNull(delay);
      regions = OrderedCopies.list(regions);
      Objects.requireNonNull(reason);
    }
  }

  /** The job has changed its status. */
  record StatusChanged(JobStatus before, JobStatus now, Reason reason) implements SchedulerAction {
    public StatusChanged {
      Objects.requireNonNull(before);
      Objects.requireNonNull(now);
      Objects.requireNonNull(reason);
    }
  }

  /** Each task is running or has finished. */
  record AllRunning(int tasks) implements SchedulerAction {}

  /** The job has ended. No action follows. */
  record Ended(JobResult result) implements SchedulerAction {
    public Ended {
      Objects.requireNonNull(result);
    }
  }
}
