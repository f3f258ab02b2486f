package io.millrace.control.slotmanager;

import io.millrace.control.driver.Supply.Startable;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.MemorySize;
import io.millrace.core.config.Options;
import java.util.Map;
import java.util.Optional;

/**
 * How many workers there should be where a driver can start some: enough for what is missing, for
 * the spares and for the configured minimum, and no more than the limits allow.
 */
final class Provision {
  private final SlotSettings.Bounds bounds;
  private final Startable startable;
  private final ResourceProfile total;
  private final int slots;

  /**
   * What registered workers have.
   *
   * @param free slots that can still be had
   * @param inUse whether anybody has a slot
   */
  record Stock(int workers, int slots, int free, ResourceProfile total, boolean inUse) {
    Stock without(Worker worker) {
      return new Stock(
          workers - 1,
          slots - worker.slots.size(),
          free - (worker.blocked ? 0 : worker.freeSlots()),
          total.minus(worker.total),
          inUse);
    }
  }

  /**
   * @param more workers to have beyond those that are registered
   * @param limit why that is less than what is missing needs, as a sentence
   */
  record Plan(int more, Optional<String> limit) {}

  Provision(SlotSettings.Bounds bounds, Startable startable) {
    this.bounds = bounds;
    this.startable = startable;
    this.total = startable.spec().total();
    this.slots = startable.spec().slots();
  }

  /** Whether a worker that could be started has room for the need. */
  boolean fits(ResourceProfile needed) {
    return total.fits(needed);
  }

  /**
   * @param missing how many slots of which profile are missing, in the order of profiles
   */
  Plan plan(Stock stock, Map<ResourceProfile, Integer> missing) {
    int needed = 0;
    ResourceProfile room = ResourceProfile.UNSPECIFIED;
    int roomSlots = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : missing.entrySet()) {
      boolean any = entry.getKey().isUnspecified();
      ResourceProfile size = any ? startable.spec().slot() : entry.getKey();
      if (!total.fits(size)) {
        continue;
      }
      int count = entry.getValue();
      int here = Math.min(count, any ? Math.min(roomSlots, room.holds(size)) : room.holds(size));
      count -= here;
      room = room.minus(size.times(here));
      roomSlots -= any ? here : 0;
      if (count > 0) {
        int each = any ? slots : total.holds(size);
        needed += (count + each - 1) / each;
        int last = (count - 1) % each + 1;
        room = total.minus(size.times(last));
        roomSlots = any ? slots - last : slots;
      }
    }
    int more = needed + spares(stock, needed, missing);
    more = Math.max(more, atLeast(stock));
    int most = most(stock);
    return new Plan(
        Math.min(more, most), needed > most ? Optional.of(limit(stock, needed)) : Optional.empty());
  }

  /** Whether a worker that nobody uses has to stay all the same. */
  boolean keeps(Stock stock, Worker worker) {
    Stock rest = stock.without(worker);
    return atLeast(rest) > 0 || (stock.inUse() && rest.free() < bounds.spares() * slots);
  }

  /** Spares are for replacing workers in use at once; without any in use there are none. */
  private int spares(Stock stock, int needed, Map<ResourceProfile, Integer> missing) {
    if (bounds.spares() == 0 || (!stock.inUse() && needed == 0)) {
      return 0;
    }
    int wanted = missing.values().stream().mapToInt(Integer::intValue).sum();
    int over = Math.max(0, needed * slots - wanted);
    int lacking = Math.max(0, bounds.spares() * slots - stock.free() - over);
    return (lacking + slots - 1) / slots;
  }

  /** Workers that the configured minimum asks for beyond those that are registered. */
  private int atLeast(Stock stock) {
    double bySlots = (bounds.minSlots() - stock.slots()) / (double) slots;
    double byCpu = part(bounds.minCpu() - stock.total().cpuCores(), total.cpuCores());
    double byMemory =
        part((double) (bounds.minMemory() - stock.total().memory()), (double) total.memory());
    return (int) Math.max(0, Math.ceil(Math.max(bySlots, Math.max(byCpu, byMemory))));
  }

  private static double part(double lacking, double each) {
    return lacking <= 0 || each <= 0 ? 0 : lacking / each;
  }

  /** Workers that may be had beyond those that are registered. */
  private int most(Stock stock) {
    long most = (long) startable.most() - stock.workers();
    most = Math.min(most, (bounds.maxSlots() - stock.slots()) / slots);
    if (total.cpuCores() > 0) {
      double left = (bounds.maxCpu() - stock.total().cpuCores()) / total.cpuCores();
      most = Math.min(most, (long) Math.floor(left + 1e-9));
    }
    if (total.memory() > 0) {
      most = Math.min(most, (bounds.maxMemory() - stock.total().memory()) / total.memory());
    }
    return (int) Math.max(0, most);
  }

  /** Names the first limit that is in the way. */
  private String limit(Stock stock, int needed) {
    int workers = stock.workers() + needed;
    String start =
        needed == 1
            ? "It takes a " + ordinal(workers) + " worker"
            : "It takes " + needed + " more workers, " + workers + " in all";
    String limit;
    if (workers > startable.most()) {
      limit =
          startable.limit() + " allows " + (startable.most() == 1 ? "1" : "" + startable.most());
    } else if (stock.slots() + needed * slots > bounds.maxSlots()) {
      limit = Options.MAX_SLOTS.key() + " allows " + bounds.maxSlots() + " slots";
    } else if (stock.total().cpuCores() + needed * total.cpuCores() > bounds.maxCpu()) {
      limit = Options.MAX_CPU.key() + " allows " + bounds.maxCpu() + " cpu cores";
    } else {
      limit = Options.MAX_MEMORY.key() + " allows " + new MemorySize(bounds.maxMemory());
    }
    return start + ", and " + limit + ". Raise that or lower the parallelism.";
  }

  private static String ordinal(int number) {
    boolean teens = number % 100 >= 11 && number % 100 <= 13;
    return number
        + (teens
            ? "th"
            : switch (number % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            });
  }
}
