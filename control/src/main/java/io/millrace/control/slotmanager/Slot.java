package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.SlotId;
import java.util.Comparator;
import java.util.Optional;

/**
 * One slot of a registered worker.
 *
 * <p>States: FREE → PENDING when it is requested for a job → ALLOCATED when the worker granted it →
 * FREE when the worker freed it. A refused or unanswered request leads from PENDING to RESTING and
 * after a pause to FREE, so that the next attempt goes elsewhere. From any state a worker's report
 * may lead to ALLOCATED or FREE: the worker knows best.
 */
final class Slot {
  enum State {
    FREE,
    PENDING,
    ALLOCATED,
    RESTING
  }

  /** Who has the slot or is to get it. */
  record Holder(Job job, AllocationId allocation) {}

  static final Comparator<Slot> IN_ORDER =
      Comparator.comparing((Slot slot) -> slot.id.worker()).thenComparingInt(s -> s.id.index());

  final SlotId id;
  final Worker worker;
  final ResourceProfile profile;
  State state = State.FREE;
  Optional<Holder> holder = Optional.empty();

  /** The need of its holder that it counts for; nothing where the holder has enough without it. */
  Optional<Need> serves = Optional.empty();

  long changedAt;
  long restsUntil;

  Slot(SlotId id, Worker worker, ResourceProfile profile) {
    this.id = id;
    this.worker = worker;
    this.profile = profile;
  }

  boolean heldAs(AllocationId allocation) {
    return holder.isPresent() && holder.get().allocation().equals(allocation);
  }
}
