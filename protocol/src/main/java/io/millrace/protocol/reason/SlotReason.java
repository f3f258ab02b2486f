package io.millrace.protocol.reason;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Why a job lacks slots, and why a slot is refused or returned. */
public sealed interface SlotReason extends Reason {
  /**
   * The slots of the cluster.
   *
   * @param slots the number of equal slots of its workers
   * @param free the number of free ones
   * @param blocked the number of further free slots whose workers are blocked
   * @param total the resources of all workers
   * @param left the part of the total that no slot occupies
   */
  record SlotSupply(
      int workers, int slots, int free, int blocked, ResourceProfile total, ResourceProfile left) {
    public SlotSupply {
      Objects.requireNonNull(total);
      Objects.requireNonNull(left);
    }
  }

  /** The number of missing slots of a declared size. */
  record MissingSize(int slots, ResourceProfile profile) {
    public MissingSize {
      Objects.requireNonNull(profile);
    }
  }

  /** The resources of a process; memory in bytes. */
  record ProcessSize(double cpuCores, long memory) {}

  /**
   * A configured limit.
   *
   * @param option the key of the option that sets it
   * @param amount workers, slots, cores or bytes
   */
  record ResourceLimit(String option, LimitedResource resource, double amount) {
    public ResourceLimit {
      Objects.requireNonNull(option);
      Objects.requireNonNull(resource);
    }
  }

  /** The unit of a limit. */
  enum LimitedResource {
    WORKERS,
    SLOTS,
    CPU_CORES,
    MEMORY
  }

  /**
   * A slot of a worker.
   *
   * @param index empty for a carved slot
   */
  record SlotPlace(WorkerId worker, Optional<Integer> index, ResourceProfile profile) {
    public SlotPlace {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(index);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * The job has fewer slots than it needs.
   *
   * @param waited how long no slot arrived, if the job stops waiting
   * @param sizes the missing slots of declared sizes
   * @param refusal the last refusal of a TaskManager
   * @param outlook what may end the shortage, or what a user can do
   */
  record SlotShortage(
      int required,
      int held,
      Optional<Duration> waited,
      SlotSupply supply,
      List<MissingSize> sizes,
      Optional<Reason> refusal,
      List<Reason> outlook)
      implements SlotReason {
    public SlotShortage {
      Objects.requireNonNull(waited);
      Objects.requireNonNull(supply);
      sizes = OrderedCopies.list(sizes);
      Objects.requireNonNull(refusal);
      outlook = OrderedCopies.list(outlook);
    }
  }

  /**
   * No TaskManager can have a slot of the size.
   *
   * @param cause why there is none
   */
  record NoWorkerFits(int required, ResourceProfile profile, Reason cause) implements SlotReason {
    public NoWorkerFits {
      Objects.requireNonNull(profile);
      Objects.requireNonNull(cause);
    }
  }

  /** None of the registered TaskManagers is large enough. */
  record RegisteredWorkersTooSmall(int workers, ResourceProfile largest) implements SlotReason {
    public RegisteredWorkersTooSmall {
      Objects.requireNonNull(largest);
    }
  }

  /** The TaskManagers that the driver starts are too small. */
  record StartedWorkerTooSmall(ResourceProfile total) implements SlotReason {
    public StartedWorkerTooSmall {
      Objects.requireNonNull(total);
    }
  }

  /** The TaskManagers that the driver starts have too few external resources. */
  record ExternalResourcesMissing(ResourceProfile available) implements SlotReason {
    public ExternalResourcesMissing {
      Objects.requireNonNull(available);
    }
  }

  /**
   * The machine on which TaskManagers are started is too small.
   *
   * @param needed the size of a TaskManager; empty if no process can be that large
   * @param where the machine or the largest container
   * @param memory in bytes
   */
  record MachineTooSmall(Optional<ProcessSize> needed, String where, double cpuCores, long memory)
      implements SlotReason {
    public MachineTooSmall {
      Objects.requireNonNull(needed);
      Objects.requireNonNull(where);
    }
  }

  /** A user has to start larger TaskManagers. */
  record LargerWorkersNeeded(ResourceProfile needed, Optional<ResourceProfile> largest)
      implements SlotReason {
    public LargerWorkersNeeded {
      Objects.requireNonNull(needed);
      Objects.requireNonNull(largest);
    }
  }

  /** A user has to start more TaskManagers. */
  record MoreWorkersNeeded() implements SlotReason {}

  /**
   * A limit does not allow all workers that jobs need.
   *
   * @param registered the number of registered workers
   * @param own the number of further workers for this job
   * @param others the number of further workers for other jobs
   * @param shared whether the workers of this job alone would stay below the limit
   */
  record LimitReached(int registered, int own, int others, boolean shared, ResourceLimit limit)
      implements SlotReason {
    public LimitReached {
      Objects.requireNonNull(limit);
    }
  }

  /** The job waits for a ResourceManager. */
  record ResourceManagerMissing(int missing, int required) implements SlotReason {}

  /** The ResourceManager has not answered yet. */
  record AnswerPending(int missing, int required) implements SlotReason {}

  /** A TaskManager refused the slot. */
  record SlotRequestRefused(SlotPlace slot, Reason cause) implements SlotReason {
    public SlotRequestRefused {
      Objects.requireNonNull(slot);
      Objects.requireNonNull(cause);
    }
  }

  /** The TaskManager has no slot with the index. */
  record SlotIndexUnknown(int index, int slots) implements SlotReason {}

  /**
   * Another allocation has the slot.
   *
   * @param releasing whether the slot is being released
   */
  record SlotOccupied(int index, boolean releasing) implements SlotReason {}

  /**
   * The allocation has another slot of the TaskManager.
   *
   * @param releasing whether that slot is being released
   */
  record AllocationOccupied(
      AllocationId allocation, Optional<Integer> index, ResourceProfile profile, boolean releasing)
      implements SlotReason {
    public AllocationOccupied {
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(index);
      Objects.requireNonNull(profile);
    }
  }

  /** The slot is too small for the requirement. */
  record SlotTooSmall(int index, ResourceProfile profile, ResourceProfile needed)
      implements SlotReason {
    public SlotTooSmall {
      Objects.requireNonNull(profile);
      Objects.requireNonNull(needed);
    }
  }

  /** A request without a slot index has to name a size. */
  record SlotSizeMissing() implements SlotReason {}

  /** The free resources of the TaskManager are too small for the slot. */
  record TotalExceeded(
      Optional<Integer> index, ResourceProfile profile, ResourceProfile left, ResourceProfile total)
      implements SlotReason {
    public TotalExceeded {
      Objects.requireNonNull(index);
      Objects.requireNonNull(profile);
      Objects.requireNonNull(left);
      Objects.requireNonNull(total);
    }
  }

  /** The job does not need the slot. */
  record SlotUnused() implements SlotReason {}

  /** The job did not accept the offered slot. */
  record SlotNotAccepted() implements SlotReason {}

  /** The job did not accept the slot in time. */
  record SlotOfferTimeout() implements SlotReason {}
}
