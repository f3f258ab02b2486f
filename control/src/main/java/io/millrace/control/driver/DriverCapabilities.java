package io.millrace.control.driver;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The capabilities of a driver.
 *
 * @param startable the workers that it starts; empty for a standalone cluster
 * @param previous running workers of earlier attempts, which are expected to register
 */
public record DriverCapabilities(Optional<Startable> startable, List<Previous> previous) {
  public DriverCapabilities {
    Objects.requireNonNull(startable);
    previous = OrderedCopies.list(previous);
  }

  /** The driver starts no workers, and every TaskManager may register. */
  public static DriverCapabilities standalone() {
    return new DriverCapabilities(Optional.empty(), List.of());
  }

  /**
   * @param spec the default spec
   * @param most the maximum number of workers at a time, of all specs
   * @param limit the key of the option that sets this maximum
   * @param larger the custom sizes for slots that do not fit the default spec; empty if the driver
   *     starts only the default spec
   */
  public record Startable(
      WorkerSpec spec, int most, String limit, Optional<CustomWorkerSizes> larger) {
    public Startable {
      Objects.requireNonNull(spec);
      Objects.requireNonNull(limit);
      Objects.requireNonNull(larger);
      if (most < 0) {
        throw new IllegalArgumentException("The maximum number of workers is negative: " + most);
      }
    }

    /** Of the default spec only. */
    public Startable(WorkerSpec spec, int most, String limit) {
      this(spec, most, limit, Optional.empty());
    }
  }

  /**
   * A running worker of an earlier attempt.
   *
   * @param spec its spec if the driver knows it; otherwise it counts under the default spec until
   *     it registers
   */
  public record Previous(WorkerId worker, Optional<WorkerSpec> spec) {
    public Previous {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
    }
  }
}
