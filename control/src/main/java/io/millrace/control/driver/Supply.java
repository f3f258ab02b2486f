package io.millrace.control.driver;

import io.millrace.core.Ordered;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Optional;

/**
 * What a driver can do.
 *
 * @param startable the workers it starts; nothing where workers come by themselves
 * @param previous workers of earlier attempts that live on and are expected to register
 */
public record Supply(Optional<Startable> startable, List<WorkerId> previous) {
  public Supply {
    previous = Ordered.list(previous);
  }

  /** Workers come by themselves, and every one of them is welcome. */
  public static Supply standalone() {
    return new Supply(Optional.empty(), List.of());
  }

  /**
   * @param most how many workers there may be at a time
   * @param limit the option that says so
   */
  public record Startable(WorkerSpec spec, int most, String limit) {
    public Startable {
      if (most < 0) {
        throw new IllegalArgumentException("At most " + most + " workers: less than none");
      }
    }
  }
}
