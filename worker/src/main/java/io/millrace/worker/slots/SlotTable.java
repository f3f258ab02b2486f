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
import io.millrace.protocol.reason.Reason;
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
 * The slots of one TaskManager: a fixed number of equal ones, and those of other sizes that were
 * carved for somebody. Both take what they have from one total, so that carved slots leave fewer of
 * the equal ones, and the other way round. Lives in the TaskManager's mailbox; times are
 * nanoseconds of its environment.
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

  /** When allocated slots expire. All wait equally long, so the first put in is the first due. */
  private final Map<AllocationId, Long> deadlines = new LinkedHashMap<>();

  /**
   * @param total what all slots can have together; each equal one has its part of it
   * @param external the external resources that the total counts, as far as they are known
   * @param timeout how long a slot stays allocated to a job that does not take it
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
      this.slots.add(new TaskSlot(Optional.of(i), profile));
    }
  }

  /** Gives a free slot to a job; the same again is fine, a conflicting wish is refused. */
  public SlotReply allocate(int index, Occupant by, ResourceProfile needed, long now) {
    if (index < 0 || index >= slots.size()) {
      return refused(new SlotIndexUnknown(index, slots.size()));
    }
    TaskSlot slot = slots.get(index);
    if (slot.occupant().equals(Optional.of(by)) && slot.state() != State.RELEASING) {
      return granted();
    }
    if (slot.state() != State.FREE) {
      return new SlotReply(
          false,
          Optional.of(new SlotOccupied(index, slot.state() == State.RELEASING)),
          slot.occupant());
    }
    TaskSlot elsewhere = byAllocation.get(by.allocation());
    if (elsewhere != null) {
      return refused(occupied(elsewhere, by));
    }
    if (!profile.fits(needed)) {
      return refused(new SlotTooSmall(index, profile, needed));
    }
    return occupy(slot, by, now);
  }

  /** Makes a slot of the size; the same again is fine, another under its name is refused. */
  public SlotReply carve(Occupant by, ResourceProfile size, long now) {
    if (size.isUnspecified()) {
      return refused(new SlotSizeMissing());
    }
    TaskSlot known = byAllocation.get(by.allocation());
    if (known == null) {
      return occupy(new TaskSlot(Optional.empty(), size), by, now);
    }
    if (known.isCarved()
        && known.profile().equals(size)
        && known.occupant().equals(Optional.of(by))
        && known.state() != State.RELEASING) {
      return granted();
    }
    return new SlotReply(false, Optional.of(occupied(known, by)), known.occupant());
  }

  private SlotReply occupy(TaskSlot slot, Occupant by, long now) {
    ResourceProfile left = total.minus(used);
    if (!left.fits(slot.profile())) {
      return refused(new TotalExceeded(slot.index(), slot.profile(), left, total));
    }
    used = used.plus(slot.profile());
    slot.occupy(by, resourcesOf(slot));
    byAllocation.put(by.allocation(), slot);
    byJob.computeIfAbsent(by.job(), x -> new LinkedHashMap<>()).put(by.allocation(), slot);
    deadlines.put(by.allocation(), now + timeout.toNanos());
    return granted();
  }

  private SlotResources resourcesOf(TaskSlot slot) {
    long managed = slot.profile().managed();
    return new SlotResources(
        slot.isCarved()
            ? ManagedMemory.declared(managed)
            : ManagedMemory.share(managed, slots.size()),
        external.take(slot.profile()));
  }

  /** What the tasks in an allocated slot share. */
  public SlotResources resources(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    return slot == null ? SlotResources.NONE : slot.resources();
  }

  /** The job has taken the slot. False where it does not have it, or not any more. */
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

  /** The job's leader is gone: what it had taken waits for the next one, for the usual time. */
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

  /** The slot is to become free; false where it is on its way there already, or nobody's. */
  public boolean release(AllocationId allocation) {
    TaskSlot slot = byAllocation.get(allocation);
    if (slot == null || slot.state() == State.RELEASING) {
      return false;
    }
    slot.become(State.RELEASING);
    deadlines.remove(allocation);
    return true;
  }

  /** Ends a release: what the slot had can be had by others. */
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

  /** What the job has, without what is being released. */
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

  /** Whether nothing is the job's any more, not even a slot that is being released. */
  public boolean hasNothingOf(JobId job) {
    return !byJob.containsKey(job);
  }

  /** The slots the job may still take. */
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

  /** Who did not take their slots in time; they stay allocated until they are released. */
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

  /** When the next slot expires. */
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

  private static SlotReply granted() {
    return new SlotReply(true, Optional.empty(), Optional.empty());
  }

  private static SlotReply refused(Reason reason) {
    return new SlotReply(false, Optional.of(reason), Optional.empty());
  }

  private AllocationOccupied occupied(TaskSlot slot, Occupant by) {
    return new AllocationOccupied(
        by.allocation(), slot.index(), slot.profile(), slot.state() == State.RELEASING);
  }
}
