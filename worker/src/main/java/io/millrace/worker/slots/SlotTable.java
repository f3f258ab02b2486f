package io.millrace.worker.slots;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.reason.SlotReason.AllocationOccupied;
import io.millrace.protocol.reason.SlotReason.SlotIndexUnknown;
import io.millrace.protocol.reason.SlotReason.SlotOccupied;
import io.millrace.protocol.reason.SlotReason.SlotSizeMissing;
import io.millrace.protocol.reason.SlotReason.SlotTooSmall;
import io.millrace.protocol.reason.SlotReason.TotalExceeded;
import io.millrace.task.SlotResources;
import io.millrace.worker.slots.TaskSlot.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The slots of one TaskManager: a fixed number of equal slots, and slots of other sizes that were
 * carved on request. Both take their resources from one total, so that carved slots reduce the
 * number of available equal slots, and vice versa. Confined to the mailbox of the TaskManager;
 * times are nanoseconds of its environment.
 */
public final class SlotTable {
  private final ResourceProfile total;
  private final ResourceProfile profile;
  private final ExternalResourcePool external;
  private final Duration timeout;
  private ResourceProfile used = ResourceProfile.UNSPECIFIED;
  private final List<TaskSlot> slots = new ArrayList<>();
  private final Map<AllocationId, TaskSlot> byAllocation = new LinkedHashMap<>();
  private final Map<JobId, Map<AllocationId, TaskSlot>> byJob = new LinkedHashMap<>();

  /**
   * Deadlines of allocated slots. All have the same time-out, so insertion order is the order of
   * expiry.
   */
  private final Map<AllocationId, Long> deadlines = new LinkedHashMap<>();

  /**
   * @param total the resources of all slots; each equal slot has an equal part
   * @param external the external resources that the total counts, as far as they are known
   * @param timeout how long a slot stays allocated to a job that does not accept it
   */
  public SlotTable(
      int slots,
      ResourceProfile total,
      Map<String, List<ExternalResourceInfo>> external,
      Duration timeout) {
    if (slots < 1) {
      throw new IllegalArgumentException("A TaskManager has at least one slot, not " + slots);
    }
    this.total = total;
    this.profile = total.dividedBy(slots);
    this.external = new ExternalResourcePool(external);
    this.timeout = timeout;
    for (int i = 0; i < slots; i++) {
      this.slots.add(new TaskSlot(i, profile));
    }
  }

  /** Allocates a free slot to a job. Idempotent; a conflicting request is refused. */
  public SlotReply allocate(int index, Occupant occupant, ResourceProfile needed, long now) {
    if (index < 0 || index >= slots.size()) {
      return SlotReply.refused(new SlotIndexUnknown(index, slots.size()));
    }
    TaskSlot slot = slots.get(index);
    if (slot.occupant().equals(Optional.of(occupant)) && slot.state() != State.RELEASING) {
      return SlotReply.allocated();
    }
    if (slot.state() != State.FREE) {
      return SlotReply.occupied(
          new SlotOccupied(index, slot.state() == State.RELEASING), slot.occupant().orElseThrow());
    }
    TaskSlot other = byAllocation.get(occupant.allocation());
    if (other != null) {
      return SlotReply.refused(occupied(other, occupant));
    }
    if (!profile.fits(needed)) {
      return SlotReply.refused(new SlotTooSmall(index, profile, needed));
    }
    return occupy(slot, occupant, now);
  }

  /**
   * Carves a slot of the size. Idempotent; a different request for the same allocation is refused.
   */
  public SlotReply carve(Occupant occupant, ResourceProfile size, long now) {
    if (size.isUnspecified()) {
      return SlotReply.refused(new SlotSizeMissing());
    }
    TaskSlot known = byAllocation.get(occupant.allocation());
    if (known == null) {
      return occupy(new TaskSlot(size), occupant, now);
    }
    if (known.isCarved()
        && known.profile().equals(size)
        && known.occupant().equals(Optional.of(occupant))
        && known.state() != State.RELEASING) {
      return SlotReply.allocated();
    }
    return SlotReply.occupied(occupied(known, occupant), known.occupant().orElseThrow());
  }

  private SlotReply occupy(TaskSlot slot, Occupant occupant, long now) {
    ResourceProfile available = total.minus(used);
    if (!available.fits(slot.profile())) {
      return SlotReply.refused(new TotalExceeded(slot.index(), slot.profile(), available, total));
    }
    used = used.plus(slot.profile());
    slot.occupy(occupant, resourcesOf(slot));
    byAllocation.put(occupant.allocation(), slot);
    byJob
        .computeIfAbsent(occupant.job(), x -> new LinkedHashMap<>())
        .put(occupant.allocation(), slot);
    deadlines.put(occupant.allocation(), now + timeout.toNanos());
    return SlotReply.allocated();
  }

  private SlotResources resourcesOf(TaskSlot slot) {
    long managed = slot.profile().managed();
    return new SlotResources(
        slot.isCarved()
            ? ManagedMemory.declared(managed)
            : ManagedMemory.share(managed, slots.size()),
        external.take(slot.profile()));
  }

  /** The resources that the tasks in an allocated slot share. */
  public SlotResources resources(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    return slot == null ? SlotResources.NONE : slot.resources();
  }

  /**
   * The job has accepted the slot. Returns false if the job does not have it, or it is being
   * released.
   */
  public boolean activate(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    if (slot == null || slot.state() == State.RELEASING) {
      return false;
    }
    if (slot.state() == State.ALLOCATED) {
      slot.become(State.ACTIVE);
      deadlines.remove(allocation);
    }
    return true;
  }

  /**
   * The leader of the job is lost: its active slots wait for the next leader until their time-out.
   */
  public void deactivate(JobId job, long now) {
    byJob
        .getOrDefault(job, new LinkedHashMap<>())
        .forEach(
            (allocation, slot) -> {
              if (slot.state() == State.ACTIVE) {
                slot.become(State.ALLOCATED);
                deadlines.put(allocation, now + timeout.toNanos());
              }
            });
  }

  /** The time-outs of the allocated slots of a job start again. */
  public void extend(JobId job, long now) {
    for (AllocationId allocation : heldBy(job)) {
      // Removed first, because the order of insertion is the order of expiry.
      if (deadlines.remove(allocation) != null) {
        deadlines.put(allocation, now + timeout.toNanos());
      }
    }
  }

  /**
   * Starts the release of a slot. Returns false if it is already being released or not allocated.
   */
  public boolean release(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    if (slot == null || slot.state() == State.RELEASING) {
      return false;
    }
    slot.become(State.RELEASING);
    deadlines.remove(allocation);
    return true;
  }

  /** Ends the release of a slot: its resources become available. */
  public void free(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    if (slot == null) {
      throw new IllegalStateException("No slot has allocation " + allocation);
    }
    JobId job = slot.occupant().orElseThrow().job();
    external.giveBack(slot.resources().external());
    slot.vacate();
    byAllocation.remove(allocation);
    Map<AllocationId, TaskSlot> ofJob = byJob.get(job);
    ofJob.remove(allocation);
    if (ofJob.isEmpty()) {
      byJob.remove(job);
    }
    used = used.minus(slot.profile());
  }

  /** Whether the job has the slot and it is not being released. */
  public boolean holds(JobId job, AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    return slot != null
        && slot.state() != State.RELEASING
        && slot.occupant().orElseThrow().job().equals(job);
  }

  public boolean isAllocated(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    return slot != null && slot.state() == State.ALLOCATED;
  }

  public boolean isReleasing(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    return slot != null && slot.state() == State.RELEASING;
  }

  /** The slots of the job, without those that are being released. */
  public List<AllocationId> heldBy(JobId job) {
    List<AllocationId> held = new ArrayList<>();
    byJob
        .getOrDefault(job, new LinkedHashMap<>())
        .forEach(
            (allocation, slot) -> {
              if (slot.state() != State.RELEASING) {
                held.add(allocation);
              }
            });
    return held;
  }

  /** Whether the job has no slot, not even one that is being released. */
  public boolean hasNothingOf(JobId job) {
    return !byJob.containsKey(job);
  }

  /** The slots that are offered to the job. */
  public List<SlotOffer> offersTo(JobId job) {
    List<SlotOffer> offers = new ArrayList<>();
    byJob
        .getOrDefault(job, new LinkedHashMap<>())
        .forEach(
            (allocation, slot) -> {
              if (slot.state() == State.ALLOCATED) {
                offers.add(new SlotOffer(allocation, slot.profile()));
              }
            });
    return offers;
  }

  /** The occupants whose slots have expired. The slots stay allocated until they are released. */
  public List<Occupant> expired(long now) {
    List<Occupant> expired = new ArrayList<>();
    for (Map.Entry<AllocationId, Long> deadline : deadlines.entrySet()) {
      if (deadline.getValue() - now > 0) {
        break;
      }
      expired.add(byAllocation.get(deadline.getKey()).occupant().orElseThrow());
    }
    return expired;
  }

  /** The deadline of the next slot to expire. */
  public OptionalLong nextDeadline() {
    return deadlines.values().stream().mapToLong(Long::longValue).findFirst();
  }

  public SlotReport report() {
    List<SlotStatus> statuses = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      statuses.add(new SlotStatus(i, profile, slots.get(i).occupant()));
    }
    List<CarvedSlot> carved = new ArrayList<>();
    for (TaskSlot slot : byAllocation.values()) {
      if (slot.isCarved()) {
        carved.add(new CarvedSlot(slot.profile(), slot.occupant().orElseThrow()));
      }
    }
    return new SlotReport(statuses, carved);
  }

  private AllocationOccupied occupied(TaskSlot slot, Occupant occupant) {
    return new AllocationOccupied(
        occupant.allocation(), slot.index(), slot.profile(), slot.state() == State.RELEASING);
  }
}
