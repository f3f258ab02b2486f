package io.millrace.control.slotpool;

import java.util.Objects;

/** A request that has its slot now. */
public record SlotAssignment(int request, AllocatedSlot slot) {
  public SlotAssignment {
    Objects.requireNonNull(slot);
  }
}
