package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.core.ResourceProfile;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.StartedWorkerTooSmall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How many workers of which spec there should be where a driver can start some: enough for what is
 * missing, for the spares and for the configured minimum, and no more than the limits allow. What
 * fits into a usual worker gets usual ones; for each slot of a declared size that does not there is
 * one worker made to measure, where the driver can start that.
 */
final class WorkerPlanner {
  private final SlotSettings.Bounds bounds;
  private final Startable startable;
  private final ResourceLimits limits;
  private final WorkerSpec usual;

  /** The workers for declared sizes that usual ones have no room for, where they can be had. */
  private final Map<ResourceProfile, Optional<WorkerSpec>> made = new TreeMap<>();

  /**
   * What registered workers have.
   *
   * @param spare slots of usual workers that can still be had
   * @param promised how many more that are when jobs have given back what they do not need
   * @param inUse whether anybody has a slot
   */
  record Stock(WorkerTotals there, int spare, int promised, boolean inUse) {
    Stock without(RegisteredWorker worker) {
      return new Stock(
          new WorkerTotals(
              there.workers() - 1,
              there.slots() - worker.slots.size(),
              there.total().minus(worker.total)),
          spare - (worker.isUsual ? worker.openSlots() : 0),
          promised - (worker.isUsual ? worker.promisedSlots() : 0),
          inUse);
    }
  }

  WorkerPlanner(SlotSettings.Bounds bounds, Startable startable) {
    this.bounds = bounds;
    this.startable = startable;
    this.limits = bounds.limits(startable.most(), startable.limit());
    this.usual = startable.spec();
  }

  ResourceLimits limits() {
    return limits;
  }

  /** The worker that is started for such a slot; nothing where none could have room for it. */
  Optional<WorkerSpec> workerFor(ResourceProfile needed) {
    return usual.total().fits(needed) ? Optional.of(usual) : madeFor(needed);
  }

  /** The worker made to measure for such a slot; nothing where a usual one does or none can be. */
  Optional<WorkerSpec> madeFor(ResourceProfile needed) {
    if (usual.total().fits(needed)) {
      return Optional.empty();
    }
    return made.computeIfAbsent(
        needed, slot -> startable.larger().flatMap(larger -> larger.forSlot(slot)));
  }

  /** Why no worker could have room for such a slot. */
  SlotReason refusal(ResourceProfile needed) {
    return startable
        .larger()
        .map(larger -> larger.refusal(needed))
        .orElseGet(() -> new StartedWorkerTooSmall(usual.total()));
  }

  /** Sizes that are not asked for any more need not be known. */
  void forgetAllBut(Map<ResourceProfile, Integer> missing) {
    made.keySet().retainAll(missing.keySet());
  }

  /**
   * The workers that so many slots take which nobody has.
   *
   * @param missing by profile, what is harder to find first
   */
  Map<WorkerSpec, Integer> needed(Map<ResourceProfile, Integer> missing) {
    Map<WorkerSpec, Integer> needed = new TreeMap<>();
    ResourceProfile room = ResourceProfile.UNSPECIFIED;
    int roomSlots = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : missing.entrySet()) {
      boolean any = entry.getKey().isUnspecified();
      ResourceProfile size = any ? usual.slot() : entry.getKey();
      int count = entry.getValue();
      if (!usual.total().fits(size)) {
        madeFor(size).ifPresent(spec -> needed.merge(spec, entry.getValue(), Integer::sum));
        continue;
      }
      int here = Math.min(count, any ? Math.min(roomSlots, room.holds(size)) : room.holds(size));
      count -= here;
      room = room.minus(size.times(here));
      roomSlots -= any ? here : 0;
      if (count > 0) {
        int each = any ? usual.slots() : usual.total().holds(size);
        needed.merge(usual, (count + each - 1) / each, Integer::sum);
        int last = (count - 1) % each + 1;
        room = usual.total().minus(size.times(last));
        roomSlots = any ? usual.slots() - last : usual.slots();
      }
    }
    return needed;
  }

  /**
   * Workers to have beyond those that are registered.
   *
   * @param needed what {@link #needed} says for all that is missing
   */
  Map<WorkerSpec, Integer> more(
      Stock stock, Map<WorkerSpec, Integer> needed, MissingSlots missing) {
    Map<WorkerSpec, Integer> more = new TreeMap<>();
    WorkerTotals there = stock.there();
    for (WorkerSpec spec : oldestFirst(needed, missing)) {
      there = add(more, there, spec, needed.get(spec));
    }
    there = add(more, there, usual, spares(stock, needed, missing.counts()));
    add(more, there, usual, atLeast(there));
    return more;
  }

  /** Where a limit does not allow all, those go first that an older job waits for. */
  private List<WorkerSpec> oldestFirst(Map<WorkerSpec, Integer> needed, MissingSlots missing) {
    if (needed.size() < 2) {
      return List.copyOf(needed.keySet());
    }
    Map<WorkerSpec, Long> oldest = new TreeMap<>();
    missing
        .counts()
        .keySet()
        .forEach(
            profile ->
                workerFor(profile)
                    .ifPresent(spec -> oldest.merge(spec, missing.oldest(profile), Math::min)));
    return needed.keySet().stream()
        .sorted(
            Comparator.comparingLong((WorkerSpec spec) -> oldest.get(spec))
                .thenComparing(Comparator.reverseOrder()))
        .toList();
  }

  private WorkerTotals add(
      Map<WorkerSpec, Integer> more, WorkerTotals there, WorkerSpec spec, int wanted) {
    int count = Math.min(wanted, limits.room(there, spec));
    if (count > 0) {
      more.merge(spec, count, Integer::sum);
    }
    return there.plus(spec, count);
  }

  /**
   * Idle workers that have to go, spares among them: a limit leaves no room beside them for workers
   * that jobs wait for, and none of them has room for anything that is missing. The configured
   * minimum stays.
   *
   * @param idle in the order in which they go
   */
  List<RegisteredWorker> inTheWay(
      Stock stock,
      Iterable<RegisteredWorker> idle,
      Map<WorkerSpec, Integer> needed,
      MissingSlots missing) {
    List<RegisteredWorker> going = new ArrayList<>();
    Deque<RegisteredWorker> useless = new ArrayDeque<>();
    idle.forEach(
        worker -> {
          if (!missing.couldUse(worker)) {
            useless.add(worker);
          }
        });
    Stock rest = stock;
    WorkerTotals coming = WorkerTotals.NOBODY;
    for (WorkerSpec spec : oldestFirst(needed, missing)) {
      int left = needed.get(spec);
      while (left > 0) {
        int room = Math.min(left, limits.room(rest.there().plus(coming), spec));
        coming = coming.plus(spec, room);
        left -= room;
        if (left > 0) {
          List<RegisteredWorker> these = makingRoom(rest, coming, useless, spec);
          if (these.isEmpty()) {
            break;
          }
          for (RegisteredWorker worker : these) {
            rest = rest.without(worker);
            useless.remove(worker);
          }
          going.addAll(these);
        }
      }
    }
    return going;
  }

  /** The first of these without which there is room for one more; none where there never is. */
  private List<RegisteredWorker> makingRoom(
      Stock stock, WorkerTotals coming, Iterable<RegisteredWorker> useless, WorkerSpec spec) {
    List<RegisteredWorker> going = new ArrayList<>();
    Stock rest = stock;
    for (RegisteredWorker worker : useless) {
      going.add(worker);
      rest = rest.without(worker);
      WorkerTotals there = rest.there().plus(coming);
      if (limits.room(there, spec) > 0) {
        int lacking = atLeast(stock.there().plus(coming));
        return atLeast(there.plus(spec, 1)) > lacking ? new ArrayList<>() : going;
      }
    }
    return new ArrayList<>();
  }

  /** Whether a worker that nobody uses has to stay all the same. */
  boolean keeps(Stock stock, RegisteredWorker worker) {
    Stock rest = stock.without(worker);
    return atLeast(rest.there()) > 0
        || (worker.isUsual && stock.inUse() && rest.spare() < bounds.spares() * usual.slots());
  }

  /**
   * Spares are usual workers for replacing those in use at once; without any in use there are none.
   * A slot whose job has enough without it is one soon: nothing is asked for in its place.
   */
  private int spares(
      Stock stock, Map<WorkerSpec, Integer> needed, Map<ResourceProfile, Integer> missing) {
    if (bounds.spares() == 0 || (!stock.inUse() && needed.isEmpty())) {
      return 0;
    }
    int wanted = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : missing.entrySet()) {
      wanted += usual.total().fits(entry.getKey()) ? entry.getValue() : 0;
    }
    int over = Math.max(0, needed.getOrDefault(usual, 0) * usual.slots() - wanted);
    int lacking =
        Math.max(0, bounds.spares() * usual.slots() - stock.spare() - stock.promised() - over);
    return (lacking + usual.slots() - 1) / usual.slots();
  }

  /** Usual workers that the configured minimum asks for beyond those. */
  private int atLeast(WorkerTotals there) {
    ResourceProfile each = usual.total();
    double bySlots = (bounds.minSlots() - there.slots()) / (double) usual.slots();
    double byCpu = part(bounds.minCpu() - there.total().cpuCores(), each.cpuCores());
    double byMemory =
        part((double) (bounds.minMemory() - there.total().memory()), (double) each.memory());
    return (int) Math.max(0, Math.ceil(Math.max(bySlots, Math.max(byCpu, byMemory))));
  }

  private static double part(double lacking, double each) {
    return lacking <= 0 || each <= 0 ? 0 : lacking / each;
  }
}
