package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The slots of a TaskManager and their occupants.
 *
 * @param slots its equal slots, free or occupied
 * @param carved slots of other sizes, which exist while they are occupied
 */
public record SlotReport(List<SlotStatus> slots, List<CarvedSlot> carved) {
  public SlotReport {
    slots = OrderedCopies.list(slots);
    carved = OrderedCopies.list(carved);
  }

  public record CarvedSlot(ResourceProfile profile, Occupant occupant) {
    public CarvedSlot {
      Objects.requireNonNull(profile);
      Objects.requireNonNull(occupant);
    }
  }

  /**
   * @param occupant empty if the slot is free
   */
  public record SlotStatus(int index, ResourceProfile profile, Optional<Occupant> occupant) {
    public SlotStatus {
      Objects.requireNonNull(profile);
      Objects.requireNonNull(occupant);
    }
  }

  public record Occupant(AllocationId allocation, JobId job) {
    public Occupant {
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(job);
    }
  }
}
