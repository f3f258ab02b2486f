package io.millrace.protocol.journal;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import io.millrace.rpc.Address;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Decisions of the ResourceManager about jobs, slots, workers, tokens and data sets. */
public sealed interface ResourceManagerEvent extends JournalEvent {
  /** Why a data set is deleted. */
  enum DataSetRelease {
    /** The user deleted it. */
    BY_USER,
    /** An earlier job had already computed it. */
    DUPLICATE,
    /** Some of its partitions are lost. */
    INCOMPLETE
  }

  /**
   * The ResourceManager begins its term.
   *
   * @param services the started services, in the order of their start
   */
  record ResourceManagerStarted(long term, List<String> services) implements ResourceManagerEvent {
    public ResourceManagerStarted {
      services = OrderedCopies.list(services);
    }
  }

  /** The application has ended. */
  record ApplicationDeregistered(ApplicationStatus status) implements ResourceManagerEvent {
    public ApplicationDeregistered {
      Objects.requireNonNull(status);
    }
  }

  /** A job has declared how many slots it needs. */
  record RequirementsReceived(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /**
   * Slots for a job were requested from workers.
   *
   * @param only the worker, if it is a single one
   * @param spread whether the least used workers were asked first
   */
  record SlotsRequested(int slots, int workers, Optional<WorkerId> only, boolean spread)
      implements ResourceManagerEvent {
    public SlotsRequested {
      Objects.requireNonNull(only);
    }

    @Override
    public int count() {
      return slots;
    }
  }

  /** A worker has granted all slots that were requested from it, or those that it had. */
  record SlotsGranted(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /**
   * All workers have answered.
   *
   * @param workers the number of workers that granted slots
   */
  record SlotRequestsAnswered(int granted, int workers, int refused)
      implements ResourceManagerEvent {
    @Override
    public int count() {
      return granted;
    }
  }

  /** A series of grants has ended. */
  record SlotsAllocated(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /** The job has returned all its slots. */
  record SlotsReleased(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /** A worker reports that the job already has the slot. */
  record SlotAdopted(SlotPlace slot) implements ResourceManagerEvent {
    public SlotAdopted {
      Objects.requireNonNull(slot);
    }
  }

  /** A worker refused to give a slot. */
  record SlotRefused(SlotPlace slot, Reason reason) implements ResourceManagerEvent {
    public SlotRefused {
      Objects.requireNonNull(slot);
      Objects.requireNonNull(reason);
    }
  }

  /** The job was informed why it waits. */
  record SlotsMissing(Reason reason) implements ResourceManagerEvent {
    public SlotsMissing {
      Objects.requireNonNull(reason);
    }
  }

  /** The job was informed that its requirements cannot be met. */
  record RequirementsFailed(Reason reason) implements ResourceManagerEvent {
    public RequirementsFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** A JobMaster has registered. */
  record JobMasterRegistered(Address address) implements ResourceManagerEvent {
    public JobMasterRegistered {
      Objects.requireNonNull(address);
    }
  }

  /** The registration of a JobMaster has ended. */
  record JobMasterLost(Reason reason) implements ResourceManagerEvent {
    public JobMasterLost {
      Objects.requireNonNull(reason);
    }
  }

  /** The job is removed: it has no requirements. */
  record JobForgotten(Reason reason) implements ResourceManagerEvent {
    public JobForgotten {
      Objects.requireNonNull(reason);
    }
  }

  /** A TaskManager has registered. */
  record TaskManagerRegistered(Address address) implements ResourceManagerEvent {
    public TaskManagerRegistered {
      Objects.requireNonNull(address);
    }
  }

  /** The registration of a TaskManager has ended. */
  record TaskManagerLost(Reason reason) implements ResourceManagerEvent {
    public TaskManagerLost {
      Objects.requireNonNull(reason);
    }
  }

  /** A TaskManager has reported its slots. */
  record SlotsReported(int slots) implements ResourceManagerEvent {}

  /**
   * A worker or a node is blocked.
   *
   * @param cause the reason that the user gave
   */
  record TargetBlocked(String target, Duration time, String cause) implements ResourceManagerEvent {
    public TargetBlocked {
      Objects.requireNonNull(target);
      Objects.requireNonNull(time);
      Objects.requireNonNull(cause);
    }
  }

  /**
   * The block of a worker or a node has ended.
   *
   * @param expired whether it expired; otherwise the user removed it
   */
  record TargetUnblocked(String target, boolean expired) implements ResourceManagerEvent {
    public TargetUnblocked {
      Objects.requireNonNull(target);
    }
  }

  /**
   * The limit of workers is set.
   *
   * @param inherited whether it was set before this term
   */
  record WorkersLimited(int most, boolean inherited) implements ResourceManagerEvent {}

  /** A worker of an earlier attempt still runs. */
  record WorkerFound() implements ResourceManagerEvent {}

  /**
   * Workers were requested from the driver.
   *
   * @param size their resources, if they are not of the usual size
   */
  record WorkersRequested(String driver, int workers, Optional<ResourceProfile> size)
      implements ResourceManagerEvent {
    public WorkersRequested {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(size);
    }
  }

  /** A request for a worker was cancelled. */
  record WorkerRequestCancelled(Reason reason) implements ResourceManagerEvent {
    public WorkerRequestCancelled {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver has started a worker. */
  record WorkerStarted() implements ResourceManagerEvent {}

  /** The start of a worker failed. */
  record WorkerStartFailed(Reason reason) implements ResourceManagerEvent {
    public WorkerStartFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** So many starts have failed that starts pause. */
  record WorkerStartsPaused(Reason reason) implements ResourceManagerEvent {
    public WorkerStartsPaused {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver was told to release a worker. */
  record WorkerReleased(Reason reason) implements ResourceManagerEvent {
    public WorkerReleased {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver reports that a worker has ended. */
  record WorkerEnded(Reason reason) implements ResourceManagerEvent {
    public WorkerEnded {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver has not reported that a released worker has ended. */
  record WorkerAssumedGone(WorkerId worker, Duration timeout, String driver)
      implements ResourceManagerEvent {
    public WorkerAssumedGone {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(timeout);
      Objects.requireNonNull(driver);
    }
  }

  /**
   * Whether a worker has cluster partitions has changed.
   *
   * @param undecided whether it also has partitions of running jobs
   */
  record ResultsHeld(boolean held, int partitions, boolean undecided)
      implements ResourceManagerEvent {}

  /** A data set is complete and kept. */
  record DataSetKept(DataSetId id, int partitions) implements ResourceManagerEvent {
    public DataSetKept {
      Objects.requireNonNull(id);
    }
  }

  /** A data set is deleted. */
  record DataSetReleased(DataSetId id, DataSetRelease cause) implements ResourceManagerEvent {
    public DataSetReleased {
      Objects.requireNonNull(id);
      Objects.requireNonNull(cause);
    }
  }

  /**
   * A delegation token was obtained.
   *
   * @param life how long it is valid; empty if it does not expire
   * @param renewal when the next one is due
   */
  record TokenObtained(String service, Optional<Duration> life, Optional<Duration> renewal)
      implements ResourceManagerEvent {
    public TokenObtained {
      Objects.requireNonNull(service);
      Objects.requireNonNull(life);
      Objects.requireNonNull(renewal);
    }
  }

  /** The service needs no token. */
  record TokenNotNeeded(String service) implements ResourceManagerEvent {
    public TokenNotNeeded {
      Objects.requireNonNull(service);
    }
  }

  /**
   * A delegation token was not renewed.
   *
   * @param failures the number of consecutive failures
   */
  record TokenNotRenewed(String service, int failures, Reason reason, Duration retry)
      implements ResourceManagerEvent {
    public TokenNotRenewed {
      Objects.requireNonNull(service);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(retry);
    }
  }

  /** A worker has not accepted the newest tokens. */
  record TokenNotTaken(WorkerId worker, Reason reason, Duration retry)
      implements ResourceManagerEvent {
    public TokenNotTaken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(retry);
    }
  }

  /** A delegation token has expired, and no new one was obtained. */
  record TokenExpired(String service) implements ResourceManagerEvent {
    public TokenExpired {
      Objects.requireNonNull(service);
    }
  }
}
