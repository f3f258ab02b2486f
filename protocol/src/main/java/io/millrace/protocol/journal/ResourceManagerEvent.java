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
    /** Another job had computed it before. */
    DUPLICATE,
    /** Some of it is lost. */
    INCOMPLETE
  }

  /**
   * The ResourceManager begins its term.
   *
   * @param services what it has started, in this order
   */
  record ResourceManagerStarted(long term, List<String> services) implements ResourceManagerEvent {
    public ResourceManagerStarted {
      services = OrderedCopies.list(services);
    }
  }

  /** The application is over. */
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
   * Workers were asked for slots for a job.
   *
   * @param only the worker, where it is one
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

  /** A worker has given all slots that it was asked for, or those that it had. */
  record SlotsGranted(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /**
   * All workers have answered.
   *
   * @param workers how many of them gave slots
   */
  record SlotRequestsAnswered(int granted, int workers, int refused)
      implements ResourceManagerEvent {
    @Override
    public int count() {
      return granted;
    }
  }

  /** A run of grants is over. */
  record SlotsAllocated(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /** The job has given back all its slots. */
  record SlotsReleased(int slots) implements ResourceManagerEvent {
    @Override
    public int count() {
      return slots;
    }
  }

  /** A worker says that the job has the slot already. */
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

  /** The job was told why it waits. */
  record SlotsMissing(Reason reason) implements ResourceManagerEvent {
    public SlotsMissing {
      Objects.requireNonNull(reason);
    }
  }

  /** The job was told that it will not get its slots. */
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

  /** A JobMaster is registered no more. */
  record JobMasterLost(Reason reason) implements ResourceManagerEvent {
    public JobMasterLost {
      Objects.requireNonNull(reason);
    }
  }

  /** The job needs nothing any more. */
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

  /** A TaskManager is registered no more. */
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
   * @param cause the user's words
   */
  record TargetBlocked(String target, Duration time, String cause) implements ResourceManagerEvent {
    public TargetBlocked {
      Objects.requireNonNull(target);
      Objects.requireNonNull(time);
      Objects.requireNonNull(cause);
    }
  }

  /**
   * A worker or a node is blocked no more.
   *
   * @param expired whether its time was over; else the user unblocked it
   */
  record TargetUnblocked(String target, boolean expired) implements ResourceManagerEvent {
    public TargetUnblocked {
      Objects.requireNonNull(target);
    }
  }

  /**
   * There may be so many workers.
   *
   * @param inherited whether that was said before this term
   */
  record WorkersLimited(int most, boolean inherited) implements ResourceManagerEvent {}

  /** A worker of an earlier attempt lives on. */
  record WorkerFound() implements ResourceManagerEvent {}

  /**
   * The driver was asked for workers.
   *
   * @param size what they have, where they are not the usual ones
   */
  record WorkersRequested(String driver, int workers, Optional<ResourceProfile> size)
      implements ResourceManagerEvent {
    public WorkersRequested {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(size);
    }
  }

  /** A request for a worker was taken back. */
  record WorkerRequestCancelled(Reason reason) implements ResourceManagerEvent {
    public WorkerRequestCancelled {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver has started a worker. */
  record WorkerStarted() implements ResourceManagerEvent {}

  /** A worker did not start. */
  record WorkerStartFailed(Reason reason) implements ResourceManagerEvent {
    public WorkerStartFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** So many starts have failed that no worker is started for a while. */
  record WorkerStartsPaused(Reason reason) implements ResourceManagerEvent {
    public WorkerStartsPaused {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver was told to end a worker. */
  record WorkerReleased(Reason reason) implements ResourceManagerEvent {
    public WorkerReleased {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver says that a worker is gone. */
  record WorkerEnded(Reason reason) implements ResourceManagerEvent {
    public WorkerEnded {
      Objects.requireNonNull(reason);
    }
  }

  /** The driver has not said that a released worker is gone. */
  record WorkerAssumedGone(WorkerId worker, Duration timeout, String driver)
      implements ResourceManagerEvent {
    public WorkerAssumedGone {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(timeout);
      Objects.requireNonNull(driver);
    }
  }

  /**
   * Whether a worker keeps results has changed.
   *
   * @param undecided whether it has more of jobs that run
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
   * A delegation token has come.
   *
   * @param life how long it is valid; nothing where it lasts
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

  /** The service asks for no token. */
  record TokenNotNeeded(String service) implements ResourceManagerEvent {
    public TokenNotNeeded {
      Objects.requireNonNull(service);
    }
  }

  /**
   * A delegation token was not renewed.
   *
   * @param failures how often in a row
   */
  record TokenNotRenewed(String service, int failures, Reason reason, Duration retry)
      implements ResourceManagerEvent {
    public TokenNotRenewed {
      Objects.requireNonNull(service);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(retry);
    }
  }

  /** A worker has not taken the newest tokens. */
  record TokenNotTaken(WorkerId worker, Reason reason, Duration retry)
      implements ResourceManagerEvent {
    public TokenNotTaken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(retry);
    }
  }

  /** A delegation token is valid no more, and no other has come. */
  record TokenExpired(String service) implements ResourceManagerEvent {
    public TokenExpired {
      Objects.requireNonNull(service);
    }
  }
}
