package io.millrace.control.slotpool;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import java.util.Objects;

/** A slot that a TaskManager has allocated for the job. */
public record AllocatedSlot(AllocationId allocation, WorkerId worker, ResourceProfile profile) {
  public AllocatedSlot {
    Objects.requireNonNull(allocation);
    Objects.requireNonNull(worker);
    Objects.requireNonNull(profile);
  }
}
