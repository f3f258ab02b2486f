package io.millrace.protocol.journal;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Address;
import java.time.Duration;
import java.util.Objects;

/**
 * Decisions of a JobMaster. Steps of TaskManagers are recorded when the JobMaster receives their
 * reports.
 */
public sealed interface JobMasterEvent extends JournalEvent {
  /** The JobMaster leads the job. */
  record JobMasterStarted(long term) implements JobMasterEvent {}

  /** Tasks are deployed with the state of a checkpoint. */
  record StateRestored(long checkpoint, String directory) implements JobMasterEvent {
    public StateRestored {
      Objects.requireNonNull(directory);
    }
  }

  /** A checkpoint or savepoint did not complete. Those that complete are in the statistics. */
  record CheckpointFailed(long checkpoint, Reason reason) implements JobMasterEvent {
    public CheckpointFailed {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A completed checkpoint cannot be used; tasks go back to an earlier one.
   *
   * @param fallback the number of the earlier one
   * @param message what is wrong with it
   */
  record CheckpointAbandoned(long checkpoint, String directory, long fallback, String message)
      implements JobMasterEvent {
    public CheckpointAbandoned {
      Objects.requireNonNull(directory);
      Objects.requireNonNull(message);
    }
  }

  /** The job has a new status. */
  record StatusChanged(JobStatus status, Reason reason) implements JobMasterEvent {
    public StatusChanged {
      Objects.requireNonNull(status);
      Objects.requireNonNull(reason);
    }
  }

  /** The JobMaster has registered at the ResourceManager. */
  record RegisteredAtResourceManager(Address address) implements JobMasterEvent {
    public RegisteredAtResourceManager {
      Objects.requireNonNull(address);
    }
  }

  /** The JobMaster has lost the ResourceManager. */
  record ResourceManagerLost(Reason reason) implements JobMasterEvent {
    public ResourceManagerLost {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The JobMaster declares the requirements of the job to the ResourceManager.
   *
   * @param timeout how long the job waits while no slots arrive
   */
  record SlotsDeclared(int required, int missing, Duration timeout) implements JobMasterEvent {
    public SlotsDeclared {
      Objects.requireNonNull(timeout);
    }

    @Override
    public int count() {
      return required;
    }
  }

  /** The job begins to wait for slots. */
  record SlotsWanted(int missing, int required) implements JobMasterEvent {
    @Override
    public int count() {
      return missing;
    }
  }

  /** The ResourceManager reports why slots are missing. */
  record ShortageReported(Reason reason) implements JobMasterEvent {
    public ShortageReported {
      Objects.requireNonNull(reason);
    }
  }

  /** The ResourceManager reports that the requirements cannot be met. */
  record RequirementsRefused(Reason reason) implements JobMasterEvent {
    public RequirementsRefused {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A TaskManager has slots for the job.
   *
   * @param workers the number of registered TaskManagers
   */
  record WorkerRegistered(int workers) implements JobMasterEvent {
    @Override
    public int count() {
      return workers;
    }
  }

  /**
   * The job has accepted slots that a TaskManager offered.
   *
   * @param missing the number of slots that are still missing
   */
  record SlotsAccepted(int accepted, int offered, int missing) implements JobMasterEvent {
    @Override
    public int count() {
      return accepted;
    }
  }

  /** The job has all slots that it needs. */
  record SlotsComplete(int required, int workers) implements JobMasterEvent {
    @Override
    public int count() {
      return required;
    }
  }

  /** The job returns a slot. */
  record SlotReturned() implements JobMasterEvent {}

  /** Tasks are deployed to TaskManagers. */
  record TasksDeployed(int tasks, int workers) implements JobMasterEvent {
    @Override
    public int count() {
      return tasks;
    }
  }

  /** The JobMaster waits for tasks that TaskManagers have kept from its predecessor. */
  record KeptTasksAwaited(int tasks, int workers) implements JobMasterEvent {
    @Override
    public int count() {
      return tasks;
    }
  }

  /**
   * Tasks that TaskManagers have kept go on under this JobMaster.
   *
   * @param tasks the number of adopted tasks
   * @param restarted the number of tasks that start again
   */
  record TasksAdopted(int tasks, int restarted) implements JobMasterEvent {
    @Override
    public int count() {
      return tasks;
    }
  }

  /** All TaskManagers have accepted their tasks. */
  record TasksTaken(int tasks) implements JobMasterEvent {
    @Override
    public int count() {
      return tasks;
    }
  }

  /** The first task of the latest deployment runs. */
  record FirstTaskRunning() implements JobMasterEvent {}

  /** All tasks run. */
  record TasksRunning(int tasks) implements JobMasterEvent {
    @Override
    public int count() {
      return tasks;
    }
  }

  /** A task of the job failed, and the job restarts. */
  record TaskFailed(Reason reason) implements JobMasterEvent {
    public TaskFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** Regions of the job restart. */
  record RestartScheduled(int attempt, int regions, Duration delay) implements JobMasterEvent {
    public RestartScheduled {
      Objects.requireNonNull(delay);
    }

    @Override
    public int count() {
      return attempt;
    }
  }

  /**
   * The job is cancelled.
   *
   * @param clientLost whether the reason is the loss of its client
   */
  record CancelRequested(boolean clientLost) implements JobMasterEvent {}

  /** The job has lost a TaskManager. */
  record WorkerLost(Reason reason) implements JobMasterEvent {
    public WorkerLost {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * The driver has said why a lost TaskManager ended.
   *
   * @param message the message of the failure before
   */
  record WorkerLossExplained(String message, Reason reason) implements JobMasterEvent {
    public WorkerLossExplained {
      Objects.requireNonNull(message);
      Objects.requireNonNull(reason);
    }
  }
}
