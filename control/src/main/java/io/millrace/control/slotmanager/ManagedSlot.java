package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import java.util.Comparator;
import java.util.Optional;

/**
 * One slot of a registered worker: an indexed slot, or a carved slot, which is cut from the free
 * resources of the worker.
 *
 * <pre>
 * state        event                                            next state
 * FREE         the SlotManager requests it for a job            PENDING
 * PENDING      the worker grants it                             ALLOCATED
 * PENDING      the worker refuses it or does not answer         BACKING_OFF
 * BACKING_OFF  {@link SlotState#RETRY_DELAY} is over            FREE
 * ALLOCATED    the worker frees it or reports it as free        FREE
 * any          the worker reports an allocation in it           ALLOCATED
 * any          the worker is lost                               removed
 * </pre>
 *
 * <p>A carved slot is removed instead of becoming FREE.
 */
final class ManagedSlot {
  enum State {
    FREE,
    PENDING,
    ALLOCATED,
    /** Not requested for a while, so that other slots are tried first. */
    BACKING_OFF
  }

  /** The job that has or has requested the slot. */
  record Holder(JobRequirements job, AllocationId allocation) {}

  static final Comparator<ManagedSlot> IN_ORDER =
      Comparator.comparing((ManagedSlot slot) -> slot.worker.id)
          .thenComparingInt(slot -> slot.number);

  final RegisteredWorker worker;

  /** The index at the worker. A carved slot has a number that only the SlotManager uses. */
  final int number;

  final ResourceProfile profile;
  final boolean isCarved;
  State state = State.FREE;
  Optional<Holder> holder = Optional.empty();

  /** The requirement that it serves; empty for a surplus slot of its holder. */
  Optional<ProfileRequirement> serves = Optional.empty();

  /** Whether its resources are reserved at the worker; kept by {@link RegisteredWorker}. */
  boolean isReserved;

  long changedAt;
  long backoffUntil;

  ManagedSlot(RegisteredWorker worker, int number, ResourceProfile profile, boolean isCarved) {
    this.worker = worker;
    this.number = number;
    this.profile = profile;
    this.isCarved = isCarved;
  }

  boolean heldAs(AllocationId allocation) {
    return holder.isPresent() && holder.get().allocation().equals(allocation);
  }

  SlotPlace place() {
    return new SlotPlace(worker.id, isCarved ? Optional.empty() : Optional.of(number), profile);
  }

  @Override
  public String toString() {
    return place().toString();
  }
}
