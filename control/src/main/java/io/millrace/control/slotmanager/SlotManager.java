package io.millrace.control.slotmanager;

import io.millrace.control.slotmanager.Slot.Holder;
import io.millrace.control.slotmanager.Slot.State;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.Note;
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
import io.millrace.control.slotmanager.SlotEvent.SupplyStands;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Keeps one picture of what jobs need and what workers have, and decides who gets what: older jobs
 * first, within a job what is harder to find first. Between two events no free slot fits anything
 * that is missing.
 *
 * <p>Plain and single-threaded: {@link #apply} is told an event and the time and returns what to
 * do, in order.
 */
public final class SlotManager {
  /** How long a slot whose request failed is left alone, so that others are tried first. */
  static final Duration REST = Duration.ofSeconds(1);

  private final RandomGenerator random;
  private final long startUpEnds;
  private final Map<WorkerId, Worker> workers = new TreeMap<>();
  private final Map<JobId, Job> jobs = new TreeMap<>();
  private final Rooms rooms;
  private final WorkerSizes sizes = new WorkerSizes();
  private final MissingSlots missing = new MissingSlots();
  private final TreeSet<Slot> resting;
  private final Shortages shortages = new Shortages();
  private final Staffing staffing;
  private Set<WorkerId> blocked = new TreeSet<>();
  private long nextOrder;
  private long now;

  /** What the event in hand has led to so far. */
  private List<SlotAction> actions = new ArrayList<>();

  private final Map<JobId, Job> touched = new LinkedHashMap<>();

  /**
   * What a worker's slots are used for.
   *
   * @param slots how many equal slots it has
   * @param free how many of these can still be had
   * @param left what no slot has
   */
  public record Usage(int slots, int free, ResourceProfile left, List<SlotInUse> inUse) {}

  public SlotManager(SlotSettings settings, RandomGenerator random, long nowNanos) {
    this.random = random;
    this.startUpEnds = nowNanos + settings.startUpTime().toNanos();
    this.rooms = new Rooms(settings.spread());
    this.resting =
        new TreeSet<>(
            Comparator.comparingLong((Slot slot) -> slot.restsUntil).thenComparing(Slot.IN_ORDER));
    this.staffing = new Staffing(settings);
  }

  /** Takes an event into the picture and returns what follows from it. */
  public List<SlotAction> apply(SlotEvent event, long nowNanos) {
    now = nowNanos;
    actions = new ArrayList<>();
    touched.clear();
    wakeRested(nowNanos);
    if (event instanceof SlotsReported reported) {
      report(reported, nowNanos);
    } else if (event instanceof WorkerLost lost) {
      find(lost.worker(), lost.instance()).ifPresent(this::remove);
    } else if (event instanceof SlotFreed freed) {
      held(freed.worker(), freed.instance(), freed.allocation())
          .ifPresent(slot -> release(slot, nowNanos));
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      forget(forgotten.job());
    } else if (event instanceof JobEnded ended) {
      end(ended.job());
    } else if (event instanceof SlotGranted granted) {
      pending(granted.worker(), granted.instance(), granted.allocation())
          .ifPresent(slot -> allocated(slot, nowNanos));
    } else if (event instanceof SlotRefused refused) {
      pending(refused.worker(), refused.instance(), refused.allocation())
          .ifPresent(slot -> refuse(slot, refused, nowNanos));
    } else if (event instanceof WorkersLimited limited) {
      staffing.limit(limited.most());
    } else if (event instanceof WorkersBlocked block) {
      block(block.workers());
    } else if (event instanceof SupplyStands stands) {
      staffing.standing(stands.standing());
    }
    plan(nowNanos);
    staff();
    conclude(nowNanos);
    return actions;
  }

  /** When a {@link SlotEvent.Tick} is wanted at the latest. */
  public OptionalLong nextWake() {
    long wake = shortages.nextWake();
    if (!resting.isEmpty()) {
      wake = Math.min(wake, resting.first().restsUntil);
    }
    wake = Math.min(wake, staffing.nextWake());
    if (!missing.neverFitting(sizes, staffing).isEmpty()) {
      wake = Math.min(wake, startUpEnds);
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** How a worker's slots are used; nothing for one that has not reported any. */
  public Optional<Usage> usage(WorkerId worker) {
    return Optional.ofNullable(workers.get(worker))
        .map(
            known ->
                new Usage(known.slots.size(), known.freeSlots(), known.left(), inUse(known.all())));
  }

  private static List<SlotInUse> inUse(List<Slot> slots) {
    List<SlotInUse> inUse = new ArrayList<>();
    for (Slot slot : slots) {
      slot.holder.ifPresent(holder -> inUse.add(new SlotInUse(holder.job().id, slot.profile)));
    }
    return inUse;
  }

  private void report(SlotsReported event, long now) {
    Worker known = workers.get(event.worker());
    if (known != null && !known.instance.equals(event.instance())) {
      remove(known);
      known = null;
    }
    if (known == null) {
      create(event, now);
    } else {
      for (SlotStatus status : event.report().slots()) {
        Slot slot = known.slots.get(status.index());
        if (slot != null && slot.changedAt < event.asOfNanos()) {
          update(slot, status.occupant(), now);
        }
      }
      updateCarved(known, event, now);
    }
  }

  private void create(SlotsReported event, long now) {
    List<SlotStatus> equal = event.report().slots();
    ResourceProfile size = equal.isEmpty() ? event.total() : equal.get(0).profile();
    Worker worker = new Worker(event.worker(), event.instance(), event.total(), size);
    worker.blocked = blocked.contains(worker.id);
    workers.put(worker.id, worker);
    for (SlotStatus status : equal) {
      Slot slot = new Slot(worker, status.index(), status.profile(), false);
      slot.changedAt = now;
      if (worker.slots.putIfAbsent(status.index(), slot) == null) {
        worker.release(slot);
      }
    }
    rooms.add(worker);
    sizes.add(worker);
    staffing.used(worker, now);
    for (SlotStatus status : equal) {
      status.occupant().ifPresent(who -> adopt(worker.slots.get(status.index()), who, now));
    }
    for (CarvedSlot carved : event.report().carved()) {
      adopt(worker.carve(carved.profile()), carved.occupant(), now);
    }
    shortages.slotsCame(now);
  }

  private void updateCarved(Worker worker, SlotsReported event, long now) {
    Set<AllocationId> reported = new HashSet<>();
    for (CarvedSlot carved : event.report().carved()) {
      AllocationId allocation = carved.occupant().allocation();
      reported.add(allocation);
      Optional<Slot> known = worker.held(allocation);
      if (known.isEmpty() && !worker.endedSince(allocation, event.asOfNanos())) {
        adopt(worker.carve(carved.profile()), carved.occupant(), now);
      } else if (known.isPresent() && known.get().changedAt < event.asOfNanos()) {
        adopt(known.get(), carved.occupant(), now);
      }
    }
    for (Slot slot : worker.carved()) {
      if (slot.state == State.ALLOCATED
          && slot.changedAt < event.asOfNanos()
          && !reported.contains(slot.holder.orElseThrow().allocation())) {
        release(slot, now);
      }
    }
    worker.forgetEnded(event.asOfNanos());
  }

  /** A later report: the worker knows who has its slots, except for requests still under way. */
  private void update(Slot slot, Optional<Occupant> occupant, long now) {
    if (occupant.isPresent()) {
      adopt(slot, occupant.get(), now);
    } else if (slot.state == State.ALLOCATED) {
      release(slot, now);
    }
  }

  /** The worker says who has the slot. */
  private void adopt(Slot slot, Occupant occupant, long now) {
    if (!slot.heldAs(occupant.allocation())) {
      Job job = job(occupant.job());
      abandon(slot);
      hold(slot, new Holder(job, occupant.allocation()), Optional.empty());
      actions.add(new Note(job.id, "slot adopted", slot + " belongs to the job already."));
    }
    if (slot.state != State.ALLOCATED) {
      allocated(slot, now);
    }
  }

  private void allocated(Slot slot, long now) {
    Job job = slot.holder.orElseThrow().job();
    if (slot.state == State.PENDING) {
      job.pending--;
      job.granted++;
    }
    slot.state = State.ALLOCATED;
    slot.changedAt = now;
    job.countAnew = true;
    touch(job);
  }

  private void release(Slot slot, long now) {
    slot.holder.ifPresent(holder -> holder.job().released++);
    end(slot, now);
    rooms.change(slot.worker, () -> slot.worker.release(slot));
  }

  private void refuse(Slot slot, SlotRefused event, long now) {
    Job job = slot.holder.orElseThrow().job();
    String sentence = slot + " was refused: " + event.reason();
    job.lastRefusal = Optional.of(sentence);
    actions.add(new Note(job.id, "slot refused", sentence));
    if (event.occupant().isPresent() && !slot.isCarved) {
      adopt(slot, event.occupant().get(), now);
      return;
    }
    end(slot, now);
    slot.state = State.RESTING;
    slot.restsUntil = now + REST.toNanos();
    resting.add(slot);
  }

  private void wakeRested(long now) {
    while (!resting.isEmpty() && resting.first().restsUntil <= now) {
      Slot slot = resting.pollFirst();
      slot.state = State.FREE;
      rooms.change(slot.worker, () -> slot.worker.release(slot));
    }
  }

  private void remove(Worker worker) {
    worker.all().forEach(this::abandon);
    rooms.remove(worker);
    sizes.remove(worker);
    staffing.left(worker);
    workers.remove(worker.id);
  }

  private void declare(RequirementsDeclared event) {
    if (event.requirements().isEmpty() && !jobs.containsKey(event.job())) {
      return;
    }
    Job job = job(event.job());
    job.patience = event.patience();
    boolean[] changed = {false};
    change(job, () -> changed[0] = job.declare(event.requirements()));
    if (changed[0]) {
      job.countAnew = true;
      job.lastRefusal = Optional.empty();
    }
  }

  private void forget(JobId id) {
    Job job = jobs.get(id);
    if (job != null) {
      change(job, () -> job.declare(new ArrayList<>()));
    }
  }

  /**
   * A worker may hold slots that the job never saw: requested for it while it was ending, or
   * granted after its JobMaster had said good-bye. Nobody but the worker can free them.
   */
  private void end(JobId id) {
    forget(id);
    Job job = jobs.get(id);
    if (job != null) {
      Map<WorkerId, Worker> holding = new TreeMap<>();
      job.surplus.forEach(slot -> holding.put(slot.worker.id, slot.worker));
      holding.values().forEach(w -> actions.add(new EndJob(w.id, w.instance, id)));
    }
  }

  /** Gives slots to what is missing, until nothing fits any more. */
  private void plan(long now) {
    for (Optional<Need> next = missing.next(rooms); next.isPresent(); next = missing.next(rooms)) {
      Need need = next.get();
      Slot slot = rooms.best(need.profile).orElseThrow().slotFor(need.profile);
      AllocationId allocation = AllocationId.random(random);
      hold(slot, new Holder(need.job, allocation), Optional.of(need));
      slot.state = State.PENDING;
      slot.changedAt = now;
      need.job.pending++;
      actions.add(
          new RequestSlot(
              slot.worker.id,
              slot.worker.instance,
              slot.isCarved ? Optional.empty() : Optional.of(slot.number),
              need.job.id,
              allocation,
              slot.profile));
    }
  }

  /** Lets go of workers that nobody needs and asks for those that are missing. */
  private void staff() {
    List<Worker> dispensable = staffing.dispensable(stock(), now);
    dispensable.forEach(this::remove);
    // Told first, so that those who go are not replaced.
    staffing
        .wanted(stock(), missing.counts())
        .ifPresent(workers -> actions.add(new WantWorkers(workers)));
    for (Worker worker : dispensable) {
      actions.add(
          new ReleaseWorker(worker.id, worker.instance, "It has not been used for long enough."));
    }
  }

  private Provision.Stock stock() {
    return new Provision.Stock(
        sizes.workers(), sizes.slots(), rooms.freeSlots(), rooms.total(), rooms.inUse());
  }

  private void block(List<WorkerId> now) {
    blocked = new TreeSet<>(now);
    for (Worker worker : workers.values()) {
      boolean isBlocked = blocked.contains(worker.id);
      if (worker.blocked != isBlocked) {
        rooms.remove(worker);
        worker.blocked = isBlocked;
        rooms.add(worker);
      }
    }
  }

  /** Fails what cannot be met and tells jobs what has changed for them. */
  private void conclude(long now) {
    shortages.numbers(
        new Shortages.Numbers(
            sizes.workers(),
            sizes.slots(),
            rooms.freeSlots(),
            rooms.blockedSlots(),
            rooms.total(),
            rooms.left(),
            staffing.outlook()),
        now);
    if (now >= startUpEnds) {
      for (ResourceProfile profile : missing.neverFitting(sizes, staffing)) {
        // Failing a job takes all its needs out, so the next one is always another job's.
        for (Optional<Need> next = missing.first(profile);
            next.isPresent();
            next = missing.first(profile)) {
          fail(next.get().job, shortages.neverFits(next.get(), sizes, staffing.size()));
        }
      }
    }
    for (Job job : touched.values()) {
      shortages.track(job, job.countAnew, now);
      job.countAnew = false;
      if (job.missing == 0 && job.pending == 0) {
        job.lastRefusal = Optional.empty();
      }
    }
    for (Job job : shortages.expired(now)) {
      fail(job, shortages.timedOut(job));
      shortages.track(job, false, now);
    }
    for (Job job : touched.values()) {
      note(job);
      tell(job);
      if (job.isForgettable()) {
        jobs.remove(job.id);
      }
    }
    shortages.stale(now).forEach(this::tell);
  }

  private void fail(Job job, String reason) {
    change(job, () -> job.declare(new ArrayList<>()));
    job.toldMissing = 0;
    job.toldReason = "";
    actions.add(new FailRequirements(job.id, reason));
  }

  private void tell(Job job) {
    String reason = job.missing == 0 ? "" : shortages.reason(job);
    if (job.missing != job.toldMissing || !reason.equals(job.toldReason)) {
      job.toldMissing = job.missing;
      job.toldReason = reason;
      actions.add(new NotifyPending(job.id, job.missing, reason));
    }
  }

  /** One line in the journal for a run of grants or releases: a job may have thousands of slots. */
  private void note(Job job) {
    if (job.granted > 0 && job.pending == 0) {
      actions.add(
          new Note(job.id, "slots granted", Shortages.slots(job.granted) + " granted by workers."));
      job.granted = 0;
    }
    if (job.released > 0 && job.held == 0) {
      actions.add(
          new Note(job.id, "slots released", Shortages.slots(job.released) + " given back."));
      job.released = 0;
    }
  }

  /** Makes a slot somebody's; it must be nobody's. */
  private void hold(Slot slot, Holder holder, Optional<Need> intended) {
    resting.remove(slot);
    rooms.change(slot.worker, () -> slot.worker.hold(slot, holder.allocation()));
    staffing.used(slot.worker, now);
    slot.holder = Optional.of(holder);
    change(holder.job(), () -> holder.job().take(slot, intended));
  }

  /** Makes a slot nobody's, without yet making it free for others. */
  private void abandon(Slot slot) {
    resting.remove(slot);
    if (slot.holder.isPresent()) {
      Job job = slot.holder.get().job();
      AllocationId allocation = slot.holder.get().allocation();
      if (slot.state == State.PENDING) {
        job.pending--;
      }
      slot.holder = Optional.empty();
      rooms.change(slot.worker, () -> slot.worker.abandon(slot, allocation));
      staffing.used(slot.worker, now);
      change(job, () -> job.lose(slot));
    }
    slot.state = State.FREE;
  }

  /** The same because its holder's time is over. */
  private void end(Slot slot, long now) {
    if (slot.isCarved) {
      slot.holder.ifPresent(holder -> slot.worker.ended(holder.allocation(), now));
    }
    abandon(slot);
    slot.changedAt = now;
  }

  private void change(Job job, Runnable change) {
    missing.change(job, change);
    touch(job);
  }

  private void touch(Job job) {
    touched.put(job.id, job);
  }

  private Job job(JobId id) {
    return jobs.computeIfAbsent(id, key -> new Job(key, nextOrder++));
  }

  private Optional<Worker> find(WorkerId worker, InstanceId instance) {
    return Optional.ofNullable(workers.get(worker))
        .filter(known -> known.instance.equals(instance));
  }

  private Optional<Slot> held(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return find(worker, instance).flatMap(known -> known.held(allocation));
  }

  /** The slot, where it still waits for the answer to just this request. */
  private Optional<Slot> pending(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return held(worker, instance, allocation).filter(slot -> slot.state == State.PENDING);
  }
}
