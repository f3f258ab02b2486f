package io.millrace.control.slotpool;

import java.util.Objects;

/** A slot request and the slot that it gets. */
public record SlotAssignment(int request, AllocatedSlot slot) {
  public SlotAssignment {
    Objects.requireNonNull(slot);
  }
}
