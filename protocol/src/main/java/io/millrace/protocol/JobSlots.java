package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;

/** The required and the held slots of a job at one moment. */
public record JobSlots(List<Need> needs, List<Held> held) {
  public static final JobSlots NONE = new JobSlots(List.of(), List.of());

  public JobSlots {
    needs = OrderedCopies.list(needs);
    held = OrderedCopies.list(held);
  }

  public int required() {
    return needs.stream().mapToInt(Need::required).sum();
  }

  public int missing() {
    return needs.stream().mapToInt(Need::missing).sum();
  }

  /**
   * Slots of one size.
   *
   * @param profile the size, rendered
   */
  public record Need(String profile, int required, int missing) {
    public Need {
      Objects.requireNonNull(profile);
    }
  }

  /**
   * @param slots the number of slots that the job holds on the worker
   */
  public record Held(WorkerId worker, int slots) {
    public Held {
      Objects.requireNonNull(worker);
    }
  }
}
