package io.millrace.worker.slots;

import io.millrace.core.ResourceProfile;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.task.SlotResources;
import java.util.Optional;

/**
 * One slot.
 *
 * <p>Transitions: FREE → ALLOCATED; ALLOCATED → ACTIVE | RELEASING; ACTIVE → ALLOCATED | RELEASING;
 * RELEASING → FREE.
 */
final class TaskSlot {
  enum State {
    /** Nobody's. */
    FREE,
    /** Given to a job that has not taken it, or whose leader is gone; times out. */
    ALLOCATED,
    /** Taken by the job's leader. */
    ACTIVE,
    /** To become free when the last task in it has ended. */
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

  /**
   * @param index nothing for a carved slot, which ends when it becomes free
   */
  TaskSlot(Optional<Integer> index, ResourceProfile profile) {
    this.index = index;
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

  /** What its tasks share while it is somebody's. */
  SlotResources resources() {
    return resources;
  }

  void occupy(Occupant by, SlotResources having) {
    become(State.ALLOCATED);
    occupant = Optional.of(by);
    resources = having;
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
