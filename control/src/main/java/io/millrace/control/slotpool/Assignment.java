package io.millrace.control.slotpool;

import java.util.Objects;

/** A request that has its slot now. */
public record Assignment(int request, Slot slot) {
  public Assignment {
    Objects.requireNonNull(slot);
  }
}
