package io.millrace.core.id;

import java.util.Objects;

/** A slot of a TaskManager, by its index there. */
public record SlotId(WorkerId worker, int index) {
  public SlotId {
    Objects.requireNonNull(worker);
    if (index < 0) {
      throw new IllegalArgumentException("Slot index " + index + " is negative");
    }
  }

  @Override
  public String toString() {
    return worker + "#" + index;
  }
}
