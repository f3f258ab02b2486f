package io.millrace.protocol;

import io.millrace.core.Ordered;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The slots of a TaskManager as it sees them. */
public record SlotReport(List<SlotStatus> slots) {
  public SlotReport {
    slots = Ordered.list(slots);
  }

  /**
   * @param occupant who has the slot, nobody where it is free
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
