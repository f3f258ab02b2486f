package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import java.util.Comparator;
import java.util.Optional;

/**
 * One slot of a registered worker: one of its equal ones, or one that was carved from what it has
 * left and that ends where an equal one would become free.
 *
 * <p>States: FREE → PENDING when it is requested for a job → ALLOCATED when the worker granted it →
 * FREE when the worker freed it. A refused or unanswered request leads from PENDING to RESTING and
 * after a pause to FREE, so that the next attempt goes elsewhere. From any state a worker's report
 * may lead to ALLOCATED or FREE: the worker knows best.
 */
final class ManagedSlot {
  enum State {
    FREE,
    PENDING,
    ALLOCATED,
    RESTING
  }

  /** Who has the slot or is to get it. */
  record Holder(JobRequirements job, AllocationId allocation) {}

  static final Comparator<ManagedSlot> IN_ORDER =
      Comparator.comparing((ManagedSlot slot) -> slot.worker.id)
          .thenComparingInt(slot -> slot.number);

  final RegisteredWorker worker;

  /** The index at the worker; for a carved slot, which has none, a number only used here. */
  final int number;

  final ResourceProfile profile;
  final boolean isCarved;
  State state = State.FREE;
  Optional<Holder> holder = Optional.empty();

  /** The need of its holder that it counts for; nothing where the holder has enough without it. */
  Optional<ProfileRequirement> serves = Optional.empty();

  /** Whether it counts in what is taken of its worker; kept by the worker. */
  boolean hasItsPart;

  long changedAt;
  long restsUntil;

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
