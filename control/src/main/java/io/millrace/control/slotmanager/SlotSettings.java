package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link SlotManager} goes about its work.
 *
 * @param startUpTime how long after the start a profile that fits nobody may still wait
 * @param spread whether slots are taken from all workers evenly instead of filling one after the
 *     other
 * @param advice what a person can do about a shortage
 * @param startable the workers that can be had; nothing where they come by themselves
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
   * How many workers to have where they are started on demand.
   *
   * @param spares workers to keep free as long as any are in use
   * @param idle how long a worker that nobody uses is kept
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
      check(minSlots <= maxSlots, Options.MIN_SLOTS.key(), Options.MAX_SLOTS.key());
      check(minCpu <= maxCpu, Options.MIN_CPU.key(), Options.MAX_CPU.key());
      check(minMemory <= maxMemory, Options.MIN_MEMORY.key(), Options.MAX_MEMORY.key());
    }

    private static void check(boolean holds, String least, String most) {
      if (!holds) {
        throw new MillraceException(
            ErrorKind.USER,
            least + " is more than " + most + ". Lower the one or raise the other.");
      }
    }

    /** What that leaves of workers where so many are allowed. */
    ResourceLimits limits(int workers, String limit) {
      return new ResourceLimits(workers, limit, maxSlots, maxCpu, maxMemory);
    }

    static Bounds from(Configuration configuration) {
      return new Bounds(
          configuration.get(Options.MIN_SLOTS),
          configuration.get(Options.MAX_SLOTS),
          configuration.get(Options.MIN_CPU),
          configuration.get(Options.MAX_CPU),
          configuration.get(Options.MIN_MEMORY).bytes(),
          configuration.get(Options.MAX_MEMORY).bytes(),
          configuration.get(Options.SPARE_WORKERS),
          configuration.get(Options.IDLE_WORKER_TIMEOUT));
    }
  }

  public static SlotSettings from(
      Configuration configuration, Optional<Startable> startable, Reason advice) {
    Duration startUp = configuration.get(Options.STANDALONE_START_UP_TIME);
    return new SlotSettings(
        // What can be started is known; where workers come by themselves, a larger one may.
        startable.isPresent()
            ? Duration.ZERO
            : startUp.isZero() ? configuration.get(Options.SLOT_REQUEST_TIMEOUT) : startUp,
        configuration.get(Options.SPREAD_OUT),
        advice,
        startable,
        Bounds.from(configuration));
  }
}
