package io.millrace.control.driver;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a driver can do.
 *
 * @param startable the workers it starts; nothing where workers come by themselves
 * @param previous workers of earlier attempts that live on and are expected to register
 */
public record DriverCapabilities(Optional<Startable> startable, List<Previous> previous) {
  public DriverCapabilities {
    Objects.requireNonNull(startable);
    previous = OrderedCopies.list(previous);
  }

  /** Workers come by themselves, and every one of them is welcome. */
  public static DriverCapabilities standalone() {
    return new DriverCapabilities(Optional.empty(), List.of());
  }

  /**
   * @param spec the workers it usually starts
   * @param most how many workers there may be at a time, of whatever size
   * @param limit the option that says so
   * @param larger those it starts where the usual ones have no room; nothing where it has only one
   *     size
   */
  public record Startable(
      WorkerSpec spec, int most, String limit, Optional<CustomWorkerSizes> larger) {
    public Startable {
      Objects.requireNonNull(spec);
      Objects.requireNonNull(limit);
      Objects.requireNonNull(larger);
      if (most < 0) {
        throw new IllegalArgumentException("At most " + most + " workers: less than none");
      }
    }

    /** Of one size only. */
    public Startable(WorkerSpec spec, int most, String limit) {
      this(spec, most, limit, Optional.empty());
    }
  }

  /**
   * A worker that lives on from an earlier attempt.
   *
   * @param spec what it was started as, where the driver knows; else it counts as a usual one until
   *     it registers
   */
  public record Previous(WorkerId worker, Optional<WorkerSpec> spec) {
    public Previous {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
    }
  }
}
