package io.millrace.control.slotpool;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import java.util.Objects;

/**
 * A slot that a TaskManager has given to the job.
 *
 * @param index which of the worker's slots it is
 */
public record Slot(AllocationId allocation, WorkerId worker, int index, ResourceProfile profile) {
  public Slot {
    Objects.requireNonNull(allocation);
    Objects.requireNonNull(worker);
    Objects.requireNonNull(profile);
  }
}
