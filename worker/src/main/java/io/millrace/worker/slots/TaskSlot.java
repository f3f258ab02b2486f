package io.millrace.worker.slots;

import io.millrace.core.ResourceProfile;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.task.SlotResources;
import java.util.Optional;

/**
 * One slot.
 *
 * <pre>
 * from               to         when
 * FREE               ALLOCATED  the ResourceManager requests it for a job
 * ALLOCATED          ACTIVE     the JobMaster accepts the offer
 * ACTIVE             ALLOCATED  the leader of the job is lost
 * ALLOCATED, ACTIVE  RELEASING  the JobMaster frees or refuses it, or its time-out expires
 * RELEASING          FREE       the last task in it has ended
 * </pre>
 */
final class TaskSlot {
  enum State {
    /** Not allocated. */
    FREE,
    /** Allocated to a job that has not accepted it, or whose leader is lost. Expires. */
    ALLOCATED,
    /** Accepted by the leader of the job. */
    ACTIVE,
    /** Becomes free when the last task in it has ended. */
    RELEASING;

    boolean canBecome(State next) {
      return switch (this) {
        case FREE -> next == ALLOCATED;
        case ALLOCATED -> next == ACTIVE || next == RELEASING;
        case ACTIVE -> next == ALLOCATED || next == RELEASING;
        case RELEASING -> next == FREE;
      };
    }
  }

  private final Optional<Integer> index;
  private final ResourceProfile profile;
  private State state = State.FREE;
  private Optional<Occupant> occupant = Optional.empty();
  private SlotResources resources = SlotResources.NONE;

  /** An equal slot. */
  TaskSlot(int index, ResourceProfile profile) {
    this.index = Optional.of(index);
    this.profile = profile;
  }

  /** A carved slot, which ends when it becomes free. */
  TaskSlot(ResourceProfile profile) {
    this.index = Optional.empty();
    this.profile = profile;
  }

  Optional<Integer> index() {
    return index;
  }

  boolean isCarved() {
    return index.isEmpty();
  }

  ResourceProfile profile() {
    return profile;
  }

  State state() {
    return state;
  }

  Optional<Occupant> occupant() {
    return occupant;
  }

  /** The resources that its tasks share while it is occupied. */
  SlotResources resources() {
    return resources;
  }

  void occupy(Occupant by, SlotResources shared) {
    become(State.ALLOCATED);
    occupant = Optional.of(by);
    resources = shared;
  }

  void vacate() {
    become(State.FREE);
    occupant = Optional.empty();
    resources = SlotResources.NONE;
  }

  void become(State next) {
    if (!state.canBecome(next)) {
      throw new IllegalStateException(this + " cannot go from " + state + " to " + next);
    }
    state = next;
  }

  @Override
  public String toString() {
    return index.map(number -> "slot " + number).orElseGet(() -> "a slot of " + profile);
  }
}
