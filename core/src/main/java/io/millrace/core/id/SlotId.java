package io.millrace.core.id;

import java.util.Objects;

/** A slot of a TaskManager, by its index there. */
public record SlotId(WorkerId worker, int index) {
  public SlotId {
    Objects.requireNonNull(worker);
    if (index < 0) {
      throw new IllegalArgumentException("index must be >= 0, but is " + index);
    }
  }

  @Override
  public String toString() {
    return worker + "#" + index;
  }
}
