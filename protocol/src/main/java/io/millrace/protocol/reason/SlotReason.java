package io.millrace.protocol.reason;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Why a job lacks slots, and why a slot is refused or given back. */
public sealed interface SlotReason extends Reason {
  /**
   * What the cluster has.
   *
   * @param slots how many equal slots its workers have
   * @param free how many of these are free
   * @param blocked how many more were free if their workers were not blocked
   * @param total what workers have in all
   * @param left what no slot has of that
   */
  record SlotSupply(
      int workers, int slots, int free, int blocked, ResourceProfile total, ResourceProfile left) {
    public SlotSupply {
      Objects.requireNonNull(total);
      Objects.requireNonNull(left);
    }
  }

  /** How many slots of a declared size are missing. */
  record MissingSize(int slots, ResourceProfile profile) {
    public MissingSize {
      Objects.requireNonNull(profile);
    }
  }

  /** What a process takes of its machine; memory in bytes. */
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

  /** What a limit counts. */
  enum LimitedResource {
    WORKERS,
    SLOTS,
    CPU_CORES,
    MEMORY
  }

  /**
   * A slot of a worker.
   *
   * @param index nothing for a slot that is carved out of the worker's resources
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
   * @param waited how long no slot came, where the job does not wait any longer
   * @param sizes the missing slots of declared sizes
   * @param refusal the last refusal of a TaskManager
   * @param outlook what may end the shortage, or what a person can do
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
   * No TaskManager can ever have a slot of the size.
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
   * The machine that TaskManagers are started on is too small.
   *
   * @param needed what a TaskManager would take; nothing where no process can be that large
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

  /** Somebody has to start larger TaskManagers. */
  record LargerWorkersNeeded(ResourceProfile needed, Optional<ResourceProfile> largest)
      implements SlotReason {
    public LargerWorkersNeeded {
      Objects.requireNonNull(needed);
      Objects.requireNonNull(largest);
    }
  }

  /** Somebody has to start more TaskManagers. */
  record MoreWorkersNeeded() implements SlotReason {}

  /**
   * A limit does not allow all workers that jobs need.
   *
   * @param registered how many workers there are
   * @param own how many more the job takes
   * @param others how many more other jobs take
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

  /** A TaskManager refused to give the slot. */
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
   * @param releasing whether it gives the slot up
   */
  record SlotOccupied(int index, boolean releasing) implements SlotReason {}

  /**
   * The allocation has another slot of the TaskManager.
   *
   * @param releasing whether it gives that slot up
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

  /** The slot is too small for what is needed. */
  record SlotTooSmall(int index, ResourceProfile profile, ResourceProfile needed)
      implements SlotReason {
    public SlotTooSmall {
      Objects.requireNonNull(profile);
      Objects.requireNonNull(needed);
    }
  }

  /** A request without a slot index has to name a size. */
  record SlotSizeMissing() implements SlotReason {}

  /** The TaskManager has too little left for the slot. */
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

  /** The job has no use for the slot. */
  record SlotUnused() implements SlotReason {}

  /** The job did not accept the offered slot. */
  record SlotNotAccepted() implements SlotReason {}

  /** The job did not take the slot in time. */
  record SlotOfferTimeout() implements SlotReason {}
}
