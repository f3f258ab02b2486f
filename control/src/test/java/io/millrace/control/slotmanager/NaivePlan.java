package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.words;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotAction.WantWorkers;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.millrace.protocol.reason.WorkerReason.WorkerExceedsLimit;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The same rules as {@link SlotManager} without any index: every question is answered by a walk
 * over all slots and all jobs. Slow, and simple enough to be believed. Reasons and notes are left
 * out of its answers.
 */
final class NaivePlan {
  private enum State {
    FREE,
    PENDING,
    ALLOCATED,
    RESTING
  }

  private static final class Place {
    WorkerId worker;
    InstanceId instance;
    int index;
    boolean carved;
    ResourceProfile profile;
    State state = State.FREE;
    JobId job;
    AllocationId allocation;
    ResourceProfile serves;
    long changedAt;
    long restsUntil;
  }

  private static final class Wish {
    JobId id;
    long order;
    Map<ResourceProfile, Integer> required = new TreeMap<>(Comparator.reverseOrder());
    boolean waits;
    boolean countAnew;
    long waitsSince;
    Duration patience = Duration.ZERO;
    int told;
  }

  private final SlotSettings settings;
  private final RandomGenerator random;
  private final long startUpEnds;
  private final List<Place> places = new ArrayList<>();
  private final List<Wish> wishes = new ArrayList<>();
  private final Map<WorkerId, ResourceProfile> totals = new TreeMap<>();
  private final Map<WorkerId, Integer> carvings = new TreeMap<>();
  private final Map<WorkerId, Map<AllocationId, Long>> ended = new TreeMap<>();
  private List<WorkerId> blocked = new ArrayList<>();
  private final Map<InstanceId, Long> idleSince = new LinkedHashMap<>();
  private int most;
  private Map<WorkerSpec, Integer> wanted = new TreeMap<>();
  private List<SlotAction> actions = new ArrayList<>();
  private long slotsCameAt = Long.MIN_VALUE;
  private long orders;
  private long now;

  NaivePlan(SlotSettings settings, RandomGenerator random, long nowNanos) {
    this.settings = settings;
    this.random = random;
    this.startUpEnds = nowNanos + settings.startUpTime().toNanos();
    this.most = settings.startable().map(Startable::most).orElse(0);
  }

  List<SlotAction> apply(SlotEvent event, long nowNanos) {
    now = nowNanos;
    actions = new ArrayList<>();
    places.removeIf(p -> p.carved && p.state == State.RESTING && p.restsUntil <= now);
    for (Place p : places) {
      if (p.state == State.RESTING && p.restsUntil <= now) {
        p.state = State.FREE;
      }
    }
    if (event instanceof SlotsReported reported) {
      report(reported);
    } else if (event instanceof WorkerLost lost) {
      removeWhere(p -> p.worker.equals(lost.worker()) && p.instance.equals(lost.instance()));
    } else if (event instanceof SlotFreed freed) {
      find(freed.worker(), freed.instance(), freed.allocation()).ifPresent(this::free);
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      wishes.stream().filter(w -> w.id.equals(forgotten.job())).forEach(this::withdraw);
    } else if (event instanceof JobEnded ended) {
      wishes.stream().filter(w -> w.id.equals(ended.job())).forEach(this::withdraw);
      places.stream()
          .filter(p -> ended.job().equals(p.job))
          .map(p -> new EndJob(p.worker, p.instance, p.job))
          .distinct()
          .forEach(actions::add);
    } else if (event instanceof SlotGranted granted) {
      find(granted.worker(), granted.instance(), granted.allocation())
          .filter(p -> p.state == State.PENDING)
          .ifPresent(this::allocated);
    } else if (event instanceof SlotRefused refused) {
      find(refused.worker(), refused.instance(), refused.allocation())
          .filter(p -> p.state == State.PENDING)
          .ifPresent(p -> refuse(p, refused.occupant()));
    }
    if (event instanceof WorkersLimited limited) {
      most = limited.most();
    } else if (event instanceof WorkersBlocked block) {
      blocked = block.workers();
    }
    plan();
    failWhatNeverFits();
    staff();
    conclude();
    return actions;
  }

  Optional<SlotManager.Usage> usage(WorkerId worker) {
    List<SlotInUse> inUse =
        of(worker).stream()
            .filter(p -> p.job != null)
            .map(p -> new SlotInUse(p.job, p.allocation, p.profile))
            .toList();
    List<Place> equal = equal(worker);
    int unheld = (int) equal.stream().filter(p -> p.job == null).count();
    return equal.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new SlotManager.Usage(
                equal.size(),
                Math.min(unheld, left(worker).holds(equal.get(0).profile)),
                left(worker),
                inUse));
  }

  private void report(SlotsReported event) {
    removeWhere(p -> p.worker.equals(event.worker()) && !p.instance.equals(event.instance()));
    boolean known = places.stream().anyMatch(p -> p.worker.equals(event.worker()));
    if (!known) {
      totals.put(event.worker(), event.total());
      carvings.put(event.worker(), event.report().slots().size());
      ended.put(event.worker(), new LinkedHashMap<>());
      for (SlotStatus status : event.report().slots()) {
        Place p = place(event.worker(), event.instance(), status.index(), status.profile());
        p.changedAt = now;
      }
      slotsCameAt = now;
    }
    for (SlotStatus status : event.report().slots()) {
      Place p = equal(event.worker()).get(status.index());
      if (known && p.changedAt >= event.asOfNanos()) {
        continue;
      }
      if (status.occupant().isPresent()) {
        adopt(p, status.occupant().get());
      } else if (p.state == State.ALLOCATED) {
        free(p);
      }
    }
    for (CarvedSlot carved : event.report().carved()) {
      AllocationId allocation = carved.occupant().allocation();
      Optional<Place> place = find(event.worker(), event.instance(), allocation);
      if (place.isPresent()) {
        if (place.get().changedAt < event.asOfNanos()) {
          adopt(place.get(), carved.occupant());
        }
      } else if (ended.get(event.worker()).getOrDefault(allocation, Long.MIN_VALUE)
          < event.asOfNanos()) {
        adopt(carve(event.worker(), event.instance(), carved.profile()), carved.occupant());
      }
    }
    for (Place p : new ArrayList<>(of(event.worker()))) {
      if (p.carved
          && p.state == State.ALLOCATED
          && p.changedAt < event.asOfNanos()
          && event.report().carved().stream()
              .noneMatch(c -> c.occupant().allocation().equals(p.allocation))) {
        free(p);
      }
    }
    ended.get(event.worker()).values().removeIf(time -> time < event.asOfNanos());
  }

  private Place place(WorkerId worker, InstanceId instance, int index, ResourceProfile profile) {
    Place p = new Place();
    p.worker = worker;
    p.instance = instance;
    p.index = index;
    p.profile = profile;
    places.add(p);
    places.sort(Comparator.comparing((Place q) -> q.worker).thenComparingInt(q -> q.index));
    return p;
  }

  private Place carve(WorkerId worker, InstanceId instance, ResourceProfile profile) {
    Place p = place(worker, instance, carvings.merge(worker, 1, Integer::sum) - 1, profile);
    p.carved = true;
    return p;
  }

  private void removeWhere(Predicate<Place> gone) {
    List<Place> removed = places.stream().filter(gone).toList();
    for (Place p : removed) {
      leave(p);
    }
    places.removeAll(removed);
  }

  private void declare(RequirementsDeclared event) {
    if (event.requirements().isEmpty()
        && wishes.stream().noneMatch(w -> w.id.equals(event.job()))) {
      return;
    }
    Wish wish = wish(event.job());
    Map<ResourceProfile, Integer> before = new LinkedHashMap<>(wish.required);
    wish.required.clear();
    event.requirements().forEach(r -> wish.required.merge(r.profile(), r.slots(), Integer::sum));
    wish.patience = event.patience();
    wish.countAnew |= !before.equals(wish.required);
    settle(wish);
  }

  private void withdraw(Wish wish) {
    wish.required.clear();
    settle(wish);
  }

  private void adopt(Place p, Occupant occupant) {
    if (!occupant.allocation().equals(p.allocation)) {
      leave(p);
      p.job = occupant.job();
      p.allocation = occupant.allocation();
      serve(wish(occupant.job()), p, null);
    }
    if (p.state != State.ALLOCATED) {
      allocated(p);
    }
  }

  private void allocated(Place p) {
    p.state = State.ALLOCATED;
    p.changedAt = now;
    wish(p.job).countAnew = true;
  }

  private void refuse(Place p, Optional<Occupant> occupant) {
    if (occupant.isPresent() && !p.carved) {
      adopt(p, occupant.get());
    } else {
      ended.get(p.worker).put(p.allocation, now);
      leave(p);
      p.state = State.RESTING;
      p.changedAt = now;
      p.restsUntil = now + SlotState.REST.toNanos();
    }
  }

  private void free(Place p) {
    ended.get(p.worker).put(p.allocation, now);
    if (p.carved) {
      places.remove(p);
    }
    leave(p);
    p.changedAt = now;
  }

  private void leave(Place p) {
    p.state = State.FREE;
    p.allocation = null;
    p.serves = null;
    if (p.job != null) {
      JobId job = p.job;
      p.job = null;
      settle(wish(job));
    }
  }

  private void serve(Wish wish, Place p, ResourceProfile intended) {
    p.serves = intended;
    if (intended == null) {
      for (ResourceProfile profile : wish.required.keySet()) {
        if (p.serves == null && missing(wish, profile) > 0 && p.profile.fits(profile)) {
          p.serves = profile;
        }
      }
    }
  }

  private void settle(Wish wish) {
    for (Place p : places) {
      if (wish.id.equals(p.job) && p.serves != null && !wish.required.containsKey(p.serves)) {
        p.serves = null;
      }
    }
    for (ResourceProfile profile : wish.required.keySet()) {
      for (int i = places.size() - 1; i >= 0; i--) {
        Place p = places.get(i);
        if (serving(wish, profile) > wish.required.get(profile)
            && wish.id.equals(p.job)
            && profile.equals(p.serves)) {
          p.serves = null;
        }
      }
    }
    for (ResourceProfile profile : wish.required.keySet()) {
      for (Place p : places) {
        if (missing(wish, profile) > 0
            && wish.id.equals(p.job)
            && p.serves == null
            && p.profile.fits(profile)) {
          p.serves = profile;
        }
      }
    }
  }

  private void plan() {
    wishes.sort(Comparator.comparingLong(w -> w.order));
    for (ResourceProfile profile : missingProfiles()) {
      Optional<WorkerId> whole = madeFor(profile).flatMap(spec -> whole(spec.total()));
      whole.ifPresent(
          w ->
              give(
                  wishes.stream().filter(x -> misses(x, profile)).findFirst().orElseThrow(),
                  profile,
                  placeAt(w, profile)));
    }
    for (Wish wish : wishes) {
      for (ResourceProfile profile : wish.required.keySet()) {
        while (missing(wish, profile) > 0) {
          Optional<Place> best = best(profile);
          if (best.isEmpty()) {
            break;
          }
          give(wish, profile, best.get());
        }
      }
    }
  }

  private boolean misses(Wish wish, ResourceProfile profile) {
    return wish.required.containsKey(profile) && missing(wish, profile) > 0;
  }

  private void give(Wish wish, ResourceProfile profile, Place p) {
    p.state = State.PENDING;
    p.changedAt = now;
    p.job = wish.id;
    p.allocation = AllocationId.random(random);
    serve(wish, p, profile);
    actions.add(
        new RequestSlot(
            p.worker,
            p.instance,
            p.carved ? Optional.empty() : Optional.of(p.index),
            wish.id,
            p.allocation,
            p.profile));
  }

  /** A worker of just this size that nobody uses. */
  private Optional<WorkerId> whole(ResourceProfile total) {
    Comparator<WorkerId> order =
        Comparator.comparing(this::isLarger)
            .thenComparing(w -> equal(w).get(0).profile)
            .thenComparing(w -> freeOf(w).isPresent());
    return workers().stream()
        .filter(w -> !blocked.contains(w))
        .filter(w -> of(w).stream().allMatch(p -> p.job == null))
        .filter(w -> left(w).equals(total))
        .min(
            (settings.spread() ? order.thenComparingDouble(this::load) : order)
                .thenComparing(Comparator.naturalOrder()));
  }

  private List<WorkerId> workers() {
    return places.stream().map(p -> p.worker).distinct().toList();
  }

  /** Whether it is not one of those that are started by default. */
  private boolean isLarger(WorkerId worker) {
    return settings
        .startable()
        .map(startable -> !startable.spec().equals(spec(worker)))
        .orElse(false);
  }

  private WorkerSpec spec(WorkerId worker) {
    return new WorkerSpec(totals.get(worker), equal(worker).size());
  }

  private Optional<WorkerSpec> madeFor(ResourceProfile profile) {
    return settings
        .startable()
        .filter(startable -> !startable.spec().total().fits(profile))
        .flatMap(Startable::larger)
        .flatMap(larger -> larger.forSlot(profile));
  }

  private Optional<Place> best(ResourceProfile needed) {
    Comparator<WorkerId> order =
        settings.spread()
            ? Comparator.comparingDouble(this::load)
            : Comparator.comparing((WorkerId w) -> of(w).stream().allMatch(p -> p.job == null))
                .thenComparing(this::isLarger)
                .thenComparing(this::left)
                .thenComparing(w -> equal(w).get(0).profile)
                .thenComparing(w -> freeOf(w).isPresent());
    return workers().stream()
        .filter(w -> !blocked.contains(w))
        .filter(
            w ->
                needed.isUnspecified()
                    ? freeOf(w).isPresent() && left(w).fits(equal(w).get(0).profile)
                    : left(w).fits(needed))
        .min(order.thenComparing(Comparator.naturalOrder()))
        .map(w -> placeAt(w, needed));
  }

  private Place placeAt(WorkerId worker, ResourceProfile needed) {
    return freeOf(worker)
        .filter(p -> needed.isUnspecified() || needed.equals(p.profile))
        .orElseGet(() -> carve(worker, of(worker).get(0).instance, needed));
  }

  /** Workers that go and workers that are wanted, counted one by one. */
  private void staff() {
    List<WorkerId> workers = workers();
    Map<InstanceId, Long> before = new LinkedHashMap<>(idleSince);
    idleSince.clear();
    for (WorkerId w : workers) {
      if (of(w).stream().allMatch(p -> p.job == null)) {
        InstanceId instance = of(w).get(0).instance;
        idleSince.put(instance, before.getOrDefault(instance, now));
      }
    }
    if (settings.startable().isEmpty()) {
      return;
    }
    List<WorkerId> rest = new ArrayList<>(workers);
    workers.stream()
        .filter(w -> idleSince.containsKey(of(w).get(0).instance))
        .sorted(
            Comparator.comparingLong((WorkerId w) -> idleSince.get(of(w).get(0).instance))
                .thenComparing(w -> w))
        .filter(
            w -> idleSince.get(of(w).get(0).instance) + settings.bounds().idle().toNanos() <= now)
        .forEach(
            w -> {
              List<WorkerId> without = rest.stream().filter(x -> !x.equals(w)).toList();
              boolean spared =
                  !isLarger(w)
                      && isInUse(rest)
                      && spare(without) < settings.bounds().spares() * usual().slots();
              if (!lessThanTheLeast(without, new TreeMap<>()) && !spared) {
                actions.add(
                    new ReleaseWorker(
                        w, of(w).get(0).instance, new WorkerIdle(settings.bounds().idle())));
                rest.remove(w);
              }
            });
    removeWhere(p -> !rest.contains(p.worker));
    giveWay(rest);
    removeWhere(p -> !rest.contains(p.worker));
    Map<WorkerSpec, Integer> now = new TreeMap<>(more(rest));
    rest.forEach(w -> now.merge(spec(w), 1, Integer::sum));
    if (!now.equals(wanted)) {
      wanted = now;
      actions.add(new WantWorkers(now));
    }
  }

  /** Idle workers that are of no use to anybody go, where another one can come only then. */
  private void giveWay(List<WorkerId> rest) {
    List<ResourceProfile> missing = missingProfiles();
    List<WorkerId> useless =
        rest.stream()
            .filter(w -> idleSince.containsKey(of(w).get(0).instance))
            .filter(
                w ->
                    blocked.contains(w)
                        || missing.stream().noneMatch(profile -> totals.get(w).fits(profile)))
            .sorted(
                Comparator.comparingLong((WorkerId w) -> idleSince.get(of(w).get(0).instance))
                    .thenComparing(w -> w))
            .toList();
    Map<WorkerSpec, Integer> coming = new TreeMap<>();
    for (WorkerSpec spec : demand().inOrder()) {
      for (int i = 0; i < demand().needed.get(spec); i++) {
        List<WorkerId> kept = new ArrayList<>(rest);
        Map<WorkerSpec, Integer> with = new TreeMap<>(coming);
        with.merge(spec, 1, Integer::sum);
        for (WorkerId w : useless) {
          if (moreThanTheMost(kept, with)) {
            kept.remove(w);
          }
        }
        boolean allowed = !moreThanTheMost(kept, with);
        boolean enough = kept.size() == rest.size() || lacking(kept, with) <= lacking(rest, coming);
        if (allowed && enough) {
          for (WorkerId w : rest) {
            if (!kept.contains(w)) {
              actions.add(new ReleaseWorker(w, of(w).get(0).instance, new WorkerExceedsLimit()));
            }
          }
          rest.retainAll(kept);
          coming = with;
        }
      }
    }
  }

  /** How many usual workers the minimum asks for beyond those. */
  private int lacking(List<WorkerId> workers, Map<WorkerSpec, Integer> more) {
    Map<WorkerSpec, Integer> with = new TreeMap<>(more);
    int lacking = 0;
    for (; lessThanTheLeast(workers, with); lacking++) {
      with.merge(usual(), 1, Integer::sum);
    }
    return lacking;
  }

  /** What all that is missing takes of workers that are not there. */
  private static final class Demand {
    final Map<WorkerSpec, Integer> needed = new TreeMap<>();
    final Map<WorkerSpec, Long> oldest = new TreeMap<>();
    int ordinary;

    List<WorkerSpec> inOrder() {
      return needed.keySet().stream()
          .sorted(
              Comparator.comparing((WorkerSpec spec) -> oldest.get(spec))
                  .thenComparing(Comparator.reverseOrder()))
          .toList();
    }
  }

  private Demand demand() {
    WorkerSpec usual = usual();
    Demand demand = new Demand();
    ResourceProfile open = ResourceProfile.UNSPECIFIED;
    int openSlots = 0;
    for (ResourceProfile profile : missingProfiles()) {
      boolean any = profile.isUnspecified();
      ResourceProfile size = any ? usual.slot() : profile;
      long age =
          wishes.stream().filter(w -> misses(w, profile)).mapToLong(w -> w.order).min().orElse(0);
      if (!usual.total().fits(size)) {
        madeFor(profile)
            .ifPresent(
                spec -> {
                  demand.needed.merge(spec, 1, Integer::sum);
                  demand.oldest.merge(spec, age, Math::min);
                });
        continue;
      }
      demand.ordinary++;
      demand.oldest.merge(usual, age, Math::min);
      if (!demand.needed.containsKey(usual) || !open.fits(size) || (any && openSlots == 0)) {
        demand.needed.merge(usual, 1, Integer::sum);
        open = usual.total();
        openSlots = usual.slots();
      }
      open = open.minus(size);
      openSlots -= any ? 1 : 0;
    }
    return demand;
  }

  private Map<WorkerSpec, Integer> more(List<WorkerId> workers) {
    WorkerSpec usual = usual();
    Demand demand = demand();
    Map<WorkerSpec, Integer> more = new TreeMap<>();
    demand.inOrder().forEach(spec -> add(workers, more, spec, demand.needed.get(spec)));
    if (isInUse(workers) || !demand.needed.isEmpty()) {
      int free =
          spareSoon(workers)
              + Math.max(0, demand.needed.getOrDefault(usual, 0) * usual.slots() - demand.ordinary);
      for (; free < settings.bounds().spares() * usual.slots(); free += usual.slots()) {
        add(workers, more, usual, 1);
      }
    }
    while (lessThanTheLeast(workers, more) && add(workers, more, usual, 1)) {
      // until there are enough or no more are allowed
    }
    return more;
  }

  /** Adds them one by one, as far as that is allowed; returns whether all were. */
  private boolean add(
      List<WorkerId> workers, Map<WorkerSpec, Integer> more, WorkerSpec spec, int count) {
    for (int i = 0; i < count; i++) {
      Map<WorkerSpec, Integer> with = new TreeMap<>(more);
      with.merge(spec, 1, Integer::sum);
      if (moreThanTheMost(workers, with)) {
        return false;
      }
      more.merge(spec, 1, Integer::sum);
    }
    return true;
  }

  private List<ResourceProfile> missingProfiles() {
    List<ResourceProfile> profiles = new ArrayList<>();
    for (Wish wish : wishes) {
      for (ResourceProfile profile : wish.required.keySet()) {
        for (int i = 0; i < missing(wish, profile); i++) {
          profiles.add(profile);
        }
      }
    }
    profiles.sort(Comparator.reverseOrder());
    return profiles;
  }

  private boolean lessThanTheLeast(List<WorkerId> workers, Map<WorkerSpec, Integer> more) {
    ResourceProfile all = all(workers, more);
    return slots(workers, more) < settings.bounds().minSlots()
        || all.cpuCores() < settings.bounds().minCpu()
        || all.memory() < settings.bounds().minMemory();
  }

  private boolean moreThanTheMost(List<WorkerId> workers, Map<WorkerSpec, Integer> more) {
    ResourceProfile all = all(workers, more);
    return workers.size() + more.values().stream().mapToInt(i -> i).sum() > most
        || slots(workers, more) > settings.bounds().maxSlots()
        || all.cpuCores() > settings.bounds().maxCpu()
        || all.memory() > settings.bounds().maxMemory();
  }

  private ResourceProfile all(List<WorkerId> workers, Map<WorkerSpec, Integer> more) {
    ResourceProfile all = ResourceProfile.UNSPECIFIED;
    for (Map.Entry<WorkerSpec, Integer> entry : more.entrySet()) {
      all = all.plus(entry.getKey().total().times(entry.getValue()));
    }
    for (WorkerId w : workers) {
      all = all.plus(totals.get(w));
    }
    return all;
  }

  private int slots(List<WorkerId> workers, Map<WorkerSpec, Integer> more) {
    return workers.stream().mapToInt(w -> equal(w).size()).sum()
        + more.entrySet().stream().mapToInt(e -> e.getKey().slots() * e.getValue()).sum();
  }

  private boolean isInUse(List<WorkerId> workers) {
    return workers.stream().anyMatch(w -> of(w).stream().anyMatch(p -> p.job != null));
  }

  /** Free slots of usual workers. */
  private int spare(List<WorkerId> workers) {
    return workers.stream()
        .filter(w -> !blocked.contains(w) && !isLarger(w))
        .mapToInt(w -> usage(w).orElseThrow().free())
        .sum();
  }

  /** The same, when jobs have given back what they do not need. */
  private int spareSoon(List<WorkerId> workers) {
    int spare = 0;
    for (WorkerId worker : workers) {
      if (!blocked.contains(worker) && !isLarger(worker)) {
        List<Place> kept =
            of(worker).stream().filter(p -> p.job == null || p.serves != null).toList();
        int unheld =
            equal(worker).size()
                - (int) kept.stream().filter(p -> !p.carved && p.job != null).count();
        ResourceProfile taken =
            kept.stream()
                .filter(p -> p.state != State.FREE)
                .map(p -> p.profile)
                .reduce(ResourceProfile.UNSPECIFIED, ResourceProfile::plus);
        ResourceProfile slot = equal(worker).get(0).profile;
        spare += Math.min(unheld, totals.get(worker).minus(taken).holds(slot));
      }
    }
    return spare;
  }

  private WorkerSpec usual() {
    return settings.startable().orElseThrow().spec();
  }

  private Optional<Place> freeOf(WorkerId worker) {
    return equal(worker).stream().filter(p -> p.state == State.FREE).findFirst();
  }

  private List<Place> of(WorkerId worker) {
    return places.stream().filter(p -> p.worker.equals(worker)).toList();
  }

  private List<Place> equal(WorkerId worker) {
    return of(worker).stream().filter(p -> !p.carved).toList();
  }

  private ResourceProfile taken(WorkerId worker) {
    return of(worker).stream()
        .filter(p -> p.state != State.FREE)
        .map(p -> p.profile)
        .reduce(ResourceProfile.UNSPECIFIED, ResourceProfile::plus);
  }

  private ResourceProfile left(WorkerId worker) {
    return totals.get(worker).minus(taken(worker));
  }

  private double load(WorkerId worker) {
    List<Place> equal = equal(worker);
    double used = equal.stream().filter(p -> p.job != null).count();
    return Math.max(used / equal.size(), totals.get(worker).share(taken(worker)));
  }

  private void failWhatNeverFits() {
    wishes.sort(Comparator.comparing(w -> w.id));
    if (now >= startUpEnds && (!places.isEmpty() || settings.startable().isPresent())) {
      for (Wish wish : wishes) {
        boolean never =
            wish.required.keySet().stream()
                .anyMatch(
                    profile ->
                        missing(wish, profile) > 0
                            && places.stream().noneMatch(p -> totals.get(p.worker).fits(profile))
                            && settings
                                .startable()
                                .map(startable -> !startable.spec().total().fits(profile))
                                .orElse(true)
                            && madeFor(profile).isEmpty());
        if (never) {
          fail(wish);
        }
      }
    }
  }

  private void conclude() {
    boolean failed = false;
    for (Wish wish : wishes) {
      boolean waits = missing(wish) > 0 || (pending(wish) > 0 && !wish.required.isEmpty());
      if (waits && (!wish.waits || wish.countAnew)) {
        wish.waitsSince = now;
      }
      wish.waits = waits;
      wish.countAnew = false;
      if (waits && Math.max(wish.waitsSince, slotsCameAt) + wish.patience.toNanos() <= now) {
        fail(wish);
        wish.waits = false;
        failed = true;
      }
    }
    if (failed) {
      staff();
    }
    wishes.sort(Comparator.comparing(w -> w.id));
    for (Wish wish : wishes) {
      if (missing(wish) != wish.told) {
        wish.told = missing(wish);
        actions.add(new NotifyPending(wish.id, wish.told, Optional.empty()));
      }
    }
    wishes.removeIf(
        wish -> wish.required.isEmpty() && places.stream().noneMatch(p -> wish.id.equals(p.job)));
  }

  private void fail(Wish wish) {
    withdraw(wish);
    wish.told = 0;
    actions.add(new FailRequirements(wish.id, words("")));
  }

  private int serving(Wish wish, ResourceProfile profile) {
    return (int)
        places.stream().filter(p -> wish.id.equals(p.job) && profile.equals(p.serves)).count();
  }

  private int missing(Wish wish, ResourceProfile profile) {
    return Math.max(0, wish.required.get(profile) - serving(wish, profile));
  }

  private int missing(Wish wish) {
    return wish.required.keySet().stream().mapToInt(profile -> missing(wish, profile)).sum();
  }

  private long pending(Wish wish) {
    return places.stream().filter(p -> wish.id.equals(p.job) && p.state == State.PENDING).count();
  }

  private Optional<Place> find(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return places.stream()
        .filter(p -> p.worker.equals(worker) && p.instance.equals(instance))
        .filter(p -> allocation.equals(p.allocation))
        .findFirst();
  }

  private Wish wish(JobId id) {
    return wishes.stream()
        .filter(w -> w.id.equals(id))
        .findFirst()
        .orElseGet(
            () -> {
              Wish wish = new Wish();
              wish.id = id;
              wish.order = orders++;
              wishes.add(wish);
              return wish;
            });
  }
}
