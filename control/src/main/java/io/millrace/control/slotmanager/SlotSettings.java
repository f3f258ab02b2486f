package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.protocol.reason.ConfigurationReason.MinimumAboveMaximum;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a {@link SlotManager}.
 *
 * @param startUpTime how long after the start a requirement may wait that fits no registered worker
 * @param spread whether slots are allocated evenly on all workers instead of filling one after the
 *     other
 * @param advice what a user can do about a shortage
 * @param startable the workers that the driver starts; empty for a standalone cluster
 */
public record SlotSettings(
    Duration startUpTime,
    boolean spread,
    Reason advice,
    Optional<Startable> startable,
    Bounds bounds) {
  public SlotSettings {
    Objects.requireNonNull(startUpTime);
    Objects.requireNonNull(advice);
    Objects.requireNonNull(startable);
    Objects.requireNonNull(bounds);
  }

  /**
   * The bounds for workers that a driver starts.
   *
   * @param spares the number of free workers to keep while any worker is in use
   * @param idle how long an idle worker is kept
   */
  public record Bounds(
      int minSlots,
      int maxSlots,
      double minCpu,
      double maxCpu,
      long minMemory,
      long maxMemory,
      int spares,
      Duration idle) {
    public Bounds {
      Objects.requireNonNull(idle);
      check(
          minSlots <= maxSlots,
          ResourceManagerOptions.MIN_SLOT_NUM.key(),
          ResourceManagerOptions.MAX_SLOT_NUM.key());
      check(
          minCpu <= maxCpu,
          ResourceManagerOptions.MIN_TOTAL_CPU.key(),
          ResourceManagerOptions.MAX_TOTAL_CPU.key());
      check(
          minMemory <= maxMemory,
          ResourceManagerOptions.MIN_TOTAL_MEMORY.key(),
          ResourceManagerOptions.MAX_TOTAL_MEMORY.key());
    }

    private static void check(boolean holds, String minimum, String maximum) {
      if (!holds) {
        throw new ReasonException(ErrorKind.USER, new MinimumAboveMaximum(minimum, maximum));
      }
    }

    /** These maximums together with a limit of the number of workers. */
    ResourceLimits limits(int workers, String limit) {
      return new ResourceLimits(workers, limit, maxSlots, maxCpu, maxMemory);
    }

    static Bounds from(Configuration configuration) {
      return new Bounds(
          configuration.get(ResourceManagerOptions.MIN_SLOT_NUM),
          configuration.get(ResourceManagerOptions.MAX_SLOT_NUM),
          configuration.get(ResourceManagerOptions.MIN_TOTAL_CPU),
          configuration.get(ResourceManagerOptions.MAX_TOTAL_CPU),
          configuration.get(ResourceManagerOptions.MIN_TOTAL_MEMORY).bytes(),
          configuration.get(ResourceManagerOptions.MAX_TOTAL_MEMORY).bytes(),
          configuration.get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM),
          configuration.get(ResourceManagerOptions.TASK_MANAGER_TIMEOUT));
    }
  }

  public static SlotSettings from(
      Configuration configuration, DriverCapabilities capabilities, Reason advice) {
    Optional<Startable> startable = capabilities.startable();
    Duration startUp = configuration.get(ResourceManagerOptions.STANDALONE_START_UP_TIME);
    return new SlotSettings(
        // The driver knows the sizes it can start. In a standalone cluster a larger worker may
        // register.
        startable.isPresent()
            ? Duration.ZERO
            : startUp.isZero()
                ? configuration.get(JobManagerOptions.SLOT_REQUEST_TIMEOUT)
                : startUp,
        configuration.get(ClusterOptions.EVENLY_SPREAD_OUT_SLOTS),
        advice,
        startable,
        Bounds.from(configuration));
  }
}
