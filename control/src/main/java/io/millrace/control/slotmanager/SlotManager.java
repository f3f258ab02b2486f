package io.millrace.control.slotmanager;

import io.millrace.control.slotmanager.Slot.Holder;
import io.millrace.control.slotmanager.Slot.State;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.Note;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.SlotId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
  private final FreeSlots free;
  private final Profiles registered = new Profiles();
  private final Map<ResourceProfile, TreeSet<Need>> missing = new TreeMap<>(Profiles.BY_SIZE);
  private final TreeSet<Slot> resting;
  private final Shortages shortages;
  private long nextOrder;

  /** What the event in hand has led to so far. */
  private List<SlotAction> actions = new ArrayList<>();

  private final Map<JobId, Job> touched = new LinkedHashMap<>();

  /** What a worker's slots are used for. */
  public record Usage(int slots, int free, List<JobId> occupants) {}

  public SlotManager(SlotSettings settings, RandomGenerator random, long nowNanos) {
    this.random = random;
    this.startUpEnds = nowNanos + settings.startUpTime().toNanos();
    this.free = new FreeSlots(settings.spread());
    this.resting =
        new TreeSet<>(
            Comparator.comparingLong((Slot slot) -> slot.restsUntil).thenComparing(Slot.IN_ORDER));
    this.shortages = new Shortages(settings);
  }

  /** Takes an event into the picture and returns what follows from it. */
  public List<SlotAction> apply(SlotEvent event, long nowNanos) {
    actions = new ArrayList<>();
    touched.clear();
    wakeRested(nowNanos);
    if (event instanceof SlotsReported reported) {
      report(reported, nowNanos);
    } else if (event instanceof WorkerLost lost) {
      find(lost.worker(), lost.instance()).ifPresent(this::remove);
    } else if (event instanceof SlotFreed freed) {
      find(freed.worker(), freed.instance(), freed.slot())
          .filter(slot -> slot.heldAs(freed.allocation()))
          .ifPresent(slot -> release(slot, nowNanos));
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      forget(forgotten.job());
    } else if (event instanceof JobEnded ended) {
      end(ended.job());
    } else if (event instanceof SlotGranted granted) {
      pending(granted.worker(), granted.instance(), granted.slot(), granted.allocation())
          .ifPresent(slot -> allocated(slot, nowNanos));
    } else if (event instanceof SlotRefused refused) {
      pending(refused.worker(), refused.instance(), refused.slot(), refused.allocation())
          .ifPresent(slot -> refuse(slot, refused, nowNanos));
    }
    plan(nowNanos);
    conclude(nowNanos);
    return actions;
  }

  /** When a {@link SlotEvent.Tick} is wanted at the latest. */
  public OptionalLong nextWake() {
    long wake = shortages.nextWake();
    if (!resting.isEmpty()) {
      wake = Math.min(wake, resting.first().restsUntil);
    }
    if (!unfittable().isEmpty()) {
      wake = Math.min(wake, startUpEnds);
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** How a worker's slots are used; nothing for one that has not reported any. */
  public Optional<Usage> usage(WorkerId worker) {
    return Optional.ofNullable(workers.get(worker))
        .map(
            known ->
                new Usage(
                    known.slots.size(),
                    known.slots.size() - known.used,
                    known.slots.values().stream()
                        .flatMap(slot -> slot.holder.stream())
                        .map(holder -> holder.job().id)
                        .toList()));
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
    }
  }

  private void create(SlotsReported event, long now) {
    Worker worker = new Worker(event.worker(), event.instance());
    workers.put(worker.id, worker);
    free.change(
        worker,
        () -> {
          for (SlotStatus status : event.report().slots()) {
            Slot slot = new Slot(new SlotId(worker.id, status.index()), worker, status.profile());
            slot.changedAt = now;
            if (worker.slots.putIfAbsent(status.index(), slot) == null) {
              registered.add(slot.profile);
              free.add(slot);
            }
          }
        });
    for (SlotStatus status : event.report().slots()) {
      status.occupant().ifPresent(who -> adopt(worker.slots.get(status.index()), who, now));
    }
    shortages.slotsCame(now);
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
      actions.add(
          new Note(job.id, "slot adopted", "Slot " + slot.id + " belongs to the job already."));
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
    abandon(slot);
    slot.changedAt = now;
    free.change(slot.worker, () -> free.add(slot));
  }

  private void refuse(Slot slot, SlotRefused event, long now) {
    Job job = slot.holder.orElseThrow().job();
    String sentence = "Slot " + slot.id + " was refused: " + event.reason();
    job.lastRefusal = Optional.of(sentence);
    actions.add(new Note(job.id, "slot refused", sentence));
    if (event.occupant().isPresent()) {
      adopt(slot, event.occupant().get(), now);
      return;
    }
    abandon(slot);
    slot.state = State.RESTING;
    slot.changedAt = now;
    slot.restsUntil = now + REST.toNanos();
    resting.add(slot);
  }

  private void wakeRested(long now) {
    while (!resting.isEmpty() && resting.first().restsUntil <= now) {
      Slot slot = resting.pollFirst();
      slot.state = State.FREE;
      free.change(slot.worker, () -> free.add(slot));
    }
  }

  private void remove(Worker worker) {
    for (Slot slot : worker.slots.values()) {
      abandon(slot);
      registered.remove(slot.profile);
    }
    free.change(worker, () -> new ArrayList<>(worker.slots.values()).forEach(free::remove));
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

  /** Gives free slots to what is missing, until nothing fits any more. */
  private void plan(long now) {
    for (Optional<Need> next = nextNeed(); next.isPresent(); next = nextNeed()) {
      Need need = next.get();
      Slot slot = free.best(need.profile).orElseThrow();
      AllocationId allocation = AllocationId.random(random);
      hold(slot, new Holder(need.job, allocation), Optional.of(need));
      slot.state = State.PENDING;
      slot.changedAt = now;
      need.job.pending++;
      actions.add(
          new RequestSlot(
              slot.id.worker(),
              slot.worker.instance,
              slot.id.index(),
              need.job.id,
              allocation,
              slot.profile));
    }
  }

  private Optional<Need> nextNeed() {
    Need next = null;
    for (Map.Entry<ResourceProfile, TreeSet<Need>> entry : missing.entrySet()) {
      Need candidate = entry.getValue().first();
      if ((next == null || Need.IN_ORDER.compare(candidate, next) < 0)
          && free.fits(entry.getKey())) {
        next = candidate;
      }
    }
    return Optional.ofNullable(next);
  }

  /** Fails what cannot be met and tells jobs what has changed for them. */
  private void conclude(long now) {
    shortages.numbers(
        new Shortages.Numbers(workers.size(), registered.total(), free.count() + resting.size()),
        now);
    if (now >= startUpEnds) {
      for (ResourceProfile profile : unfittable()) {
        // Failing a job takes all its needs out, so the next one is always another job's.
        while (missing.containsKey(profile)) {
          Need need = missing.get(profile).first();
          fail(need.job, shortages.neverFits(need, registered));
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
      fail(job, shortages.timedOut(job, registered));
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
    String reason = job.missing == 0 ? "" : shortages.reason(job, registered);
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

  /**
   * Missing profiles that fit no registered worker. While no worker is registered nothing is known
   * about sizes, and a shortage of everything is still only a shortage.
   */
  private List<ResourceProfile> unfittable() {
    List<ResourceProfile> unfittable = new ArrayList<>();
    if (registered.total() > 0) {
      for (ResourceProfile profile : missing.keySet()) {
        if (registered.fitting(profile) == 0) {
          unfittable.add(profile);
        }
      }
    }
    return unfittable;
  }

  /** Makes a slot somebody's; it must be nobody's. */
  private void hold(Slot slot, Holder holder, Optional<Need> intended) {
    resting.remove(slot);
    free.change(
        slot.worker,
        () -> {
          free.remove(slot);
          slot.worker.used++;
        });
    slot.holder = Optional.of(holder);
    change(holder.job(), () -> holder.job().take(slot, intended));
  }

  /** Makes a slot nobody's, without yet making it free for others. */
  private void abandon(Slot slot) {
    resting.remove(slot);
    if (slot.holder.isPresent()) {
      Job job = slot.holder.get().job();
      if (slot.state == State.PENDING) {
        job.pending--;
      }
      slot.holder = Optional.empty();
      free.change(slot.worker, () -> slot.worker.used--);
      change(job, () -> job.lose(slot));
    }
    slot.state = State.FREE;
  }

  /** Runs what changes a job's needs or slots, and keeps the index of what is missing. */
  private void change(Job job, Runnable change) {
    for (Need need : job.needs.values()) {
      missing.computeIfPresent(
          need.profile,
          (key, needs) -> {
            needs.remove(need);
            return needs.isEmpty() ? null : needs;
          });
    }
    change.run();
    for (Need need : job.needs.values()) {
      if (need.missing() > 0) {
        missing.computeIfAbsent(need.profile, key -> new TreeSet<>(Need.IN_ORDER)).add(need);
      }
    }
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

  private Optional<Slot> find(WorkerId worker, InstanceId instance, int index) {
    return find(worker, instance).map(known -> known.slots.get(index));
  }

  /** The slot, where it still waits for the answer to just this request. */
  private Optional<Slot> pending(
      WorkerId worker, InstanceId instance, int index, AllocationId allocation) {
    return find(worker, instance, index)
        .filter(slot -> slot.state == State.PENDING && slot.heldAs(allocation));
  }
}
