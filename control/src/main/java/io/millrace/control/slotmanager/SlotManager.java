package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.slotmanager.ManagedSlot.Holder;
import io.millrace.control.slotmanager.ManagedSlot.State;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.Note;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
import io.millrace.control.slotmanager.SlotAction.WantWorkers;
import io.millrace.control.slotmanager.SlotEvent.DataHeld;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.SupplyKnown;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotAdopted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsAllocated;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReleased;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotRequestRefused;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.protocol.reason.WorkerReason.WorkerExceedsLimit;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.decision.Decider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Decides from one {@link SlotState} of what jobs need and what workers have who gets what: older
 * jobs first, within a job what is harder to find first. Between two events no free slot fits
 * anything that is missing.
 *
 * <p>Plain and single-threaded: {@link #apply} is told an event and the time and returns what to
 * do, in order.
 */
public final class SlotManager implements Decider<SlotEvent, SlotAction> {
  private final RandomGenerator random;
  private long startUpEnds;
  private final WorkerDemand demand;
  private final SlotState state;
  private final SlotShortages shortages = new SlotShortages();
  private long now;

  /** What the event in hand has led to so far. */
  private List<SlotAction> actions = new ArrayList<>();

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
    this.demand = new WorkerDemand(settings);
    this.state = new SlotState(settings.spread(), demand);
  }

  /** Takes an event into the state and returns what follows from it. */
  @Override
  public List<SlotAction> apply(SlotEvent event, long nowNanos) {
    now = nowNanos;
    actions = new ArrayList<>();
    state.turnTo(nowNanos);
    if (event instanceof SlotsReported reported) {
      report(reported);
    } else if (event instanceof WorkerLost lost) {
      state.worker(lost.worker(), lost.instance()).ifPresent(state::remove);
    } else if (event instanceof SlotFreed freed) {
      state.held(freed.worker(), freed.instance(), freed.allocation()).ifPresent(state::release);
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      forget(forgotten.job());
    } else if (event instanceof JobEnded ended) {
      end(ended.job());
    } else if (event instanceof SlotGranted granted) {
      state
          .pending(granted.worker(), granted.instance(), granted.allocation())
          .ifPresent(state::allocated);
    } else if (event instanceof SlotRefused refused) {
      state
          .pending(refused.worker(), refused.instance(), refused.allocation())
          .ifPresent(slot -> refuse(slot, refused));
    } else if (event instanceof SupplyKnown known) {
      startUpEnds = nowNanos + known.settings().startUpTime().toNanos();
      demand.supplied(known.settings());
    } else if (event instanceof WorkersLimited limited) {
      demand.limit(limited.most());
    } else if (event instanceof WorkersBlocked block) {
      state.block(block.workers());
    } else if (event instanceof DataHeld data) {
      state
          .worker(data.worker(), data.instance())
          .ifPresent(worker -> demand.data(worker, data.held(), nowNanos));
    } else if (event instanceof SupplyStatus status) {
      demand.status(status);
    } else if (!(event instanceof SlotEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    plan();
    // Before workers are asked for, which those jobs would not use.
    failWhatNeverFits();
    staff();
    if (failWhatWaitedTooLong()) {
      staff();
    }
    tellJobs();
    return actions;
  }

  /** When a {@link SlotEvent.Tick} is wanted at the latest. */
  @Override
  public OptionalLong nextWake() {
    long wake = Math.min(shortages.nextWake(), state.nextWake());
    wake = Math.min(wake, demand.nextWake());
    if (!neverFitting().isEmpty()) {
      wake = Math.min(wake, startUpEnds);
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** How a worker's slots are used; nothing for one that has not reported any. */
  public Optional<Usage> usage(WorkerId worker) {
    return state
        .worker(worker)
        .map(
            known ->
                new Usage(known.slots.size(), known.freeSlots(), known.left(), inUse(known.all())));
  }

  private static List<SlotInUse> inUse(List<ManagedSlot> slots) {
    List<SlotInUse> inUse = new ArrayList<>();
    for (ManagedSlot slot : slots) {
      slot.holder.ifPresent(
          holder -> inUse.add(new SlotInUse(holder.job().id, holder.allocation(), slot.profile)));
    }
    return inUse;
  }

  private void report(SlotsReported event) {
    Optional<RegisteredWorker> known = state.worker(event.worker());
    if (known.isPresent() && !known.get().instance.equals(event.instance())) {
      state.remove(known.get());
      known = Optional.empty();
    }
    if (known.isEmpty()) {
      create(event);
      return;
    }
    for (SlotStatus status : event.report().slots()) {
      ManagedSlot slot = known.get().slots.get(status.index());
      if (slot != null && slot.changedAt < event.asOfNanos()) {
        update(slot, status.occupant());
      }
    }
    updateCarved(known.get(), event);
  }

  private void create(SlotsReported event) {
    List<SlotStatus> equal = event.report().slots();
    ResourceProfile size = equal.isEmpty() ? event.total() : equal.get(0).profile();
    RegisteredWorker worker =
        new RegisteredWorker(event.worker(), event.instance(), event.total(), size);
    for (SlotStatus status : equal) {
      ManagedSlot slot = new ManagedSlot(worker, status.index(), status.profile(), false);
      slot.changedAt = now;
      if (worker.slots.putIfAbsent(status.index(), slot) == null) {
        worker.release(slot);
      }
    }
    state.add(worker);
    for (SlotStatus status : equal) {
      status.occupant().ifPresent(who -> adopt(worker.slots.get(status.index()), who));
    }
    for (CarvedSlot carved : event.report().carved()) {
      adopt(worker.carve(carved.profile()), carved.occupant());
    }
    shortages.slotsCame(now);
  }

  private void updateCarved(RegisteredWorker worker, SlotsReported event) {
    Set<AllocationId> reported = new HashSet<>();
    for (CarvedSlot carved : event.report().carved()) {
      AllocationId allocation = carved.occupant().allocation();
      reported.add(allocation);
      Optional<ManagedSlot> known = worker.held(allocation);
      if (known.isEmpty() && !worker.endedSince(allocation, event.asOfNanos())) {
        adopt(worker.carve(carved.profile()), carved.occupant());
      } else if (known.isPresent() && known.get().changedAt < event.asOfNanos()) {
        adopt(known.get(), carved.occupant());
      }
    }
    for (ManagedSlot slot : worker.carved()) {
      if (slot.state == State.ALLOCATED
          && slot.changedAt < event.asOfNanos()
          && !reported.contains(slot.holder.orElseThrow().allocation())) {
        state.release(slot);
      }
    }
    worker.forgetEnded(event.asOfNanos());
  }

  /** A later report: the worker knows who has its slots, except for requests still under way. */
  private void update(ManagedSlot slot, Optional<Occupant> occupant) {
    if (occupant.isPresent()) {
      adopt(slot, occupant.get());
    } else if (slot.state == State.ALLOCATED) {
      state.release(slot);
    }
  }

  /** The worker says who has the slot. */
  private void adopt(ManagedSlot slot, Occupant occupant) {
    if (!slot.heldAs(occupant.allocation())) {
      JobRequirements job = state.job(occupant.job());
      state.abandon(slot);
      state.hold(slot, new Holder(job, occupant.allocation()), Optional.empty());
      actions.add(new Note(job.id, new SlotAdopted(slot.place())));
    }
    if (slot.state != State.ALLOCATED) {
      state.allocated(slot);
    }
  }

  private void refuse(ManagedSlot slot, SlotRefused event) {
    JobRequirements job = slot.holder.orElseThrow().job();
    Reason refusal = new SlotRequestRefused(slot.place(), event.reason());
    job.lastRefusal = Optional.of(refusal);
    actions.add(
        new Note(job.id, new ResourceManagerEvent.SlotRefused(slot.place(), event.reason())));
    if (event.occupant().isPresent() && !slot.isCarved) {
      adopt(slot, event.occupant().get());
    } else {
      state.rest(slot);
    }
  }

  private void declare(RequirementsDeclared event) {
    if (event.requirements().isEmpty() && state.known(event.job()).isEmpty()) {
      return;
    }
    JobRequirements job = state.job(event.job());
    job.patience = event.patience();
    boolean[] changed = {false};
    state.change(job, () -> changed[0] = job.declare(event.requirements()));
    if (changed[0]) {
      job.countAnew = true;
      job.lastRefusal = Optional.empty();
    }
  }

  private void forget(JobId id) {
    state.known(id).ifPresent(this::withdraw);
  }

  private void withdraw(JobRequirements job) {
    state.change(job, () -> job.declare(new ArrayList<>()));
  }

  /**
   * A worker may hold slots that the job never saw: requested for it while it was ending, or
   * granted after its JobMaster had said good-bye. Nobody but the worker can free them.
   */
  private void end(JobId id) {
    forget(id);
    Map<WorkerId, RegisteredWorker> holding = new TreeMap<>();
    state
        .known(id)
        .ifPresent(job -> job.surplus().forEach(slot -> holding.put(slot.worker.id, slot.worker)));
    holding.values().forEach(w -> actions.add(new EndJob(w.id, w.instance, id)));
  }

  /** Gives slots to what is missing, until nothing fits any more. */
  private void plan() {
    state.missing.profiles().forEach(this::giveWhatWasMade);
    for (Optional<ProfileRequirement> next = next(); next.isPresent(); next = next()) {
      give(state.capacity.best(next.get().profile).orElseThrow(), next.get());
    }
  }

  /** A worker that was made to measure is for those it was made for, whoever else would fit. */
  private void giveWhatWasMade(ResourceProfile profile) {
    Optional<ResourceProfile> made = demand.madeFor(profile);
    Optional<RegisteredWorker> worker = made.flatMap(state.capacity::whole);
    Optional<ProfileRequirement> need = state.missing.first(profile);
    while (worker.isPresent() && need.isPresent()) {
      give(worker.get(), need.get());
      worker = made.flatMap(state.capacity::whole);
      need = state.missing.first(profile);
    }
  }

  private void give(RegisteredWorker worker, ProfileRequirement need) {
    ManagedSlot slot = worker.slotFor(need.profile);
    AllocationId allocation = AllocationId.random(random);
    state.hold(slot, new Holder(need.job, allocation), Optional.of(need));
    state.requested(slot);
    actions.add(
        new RequestSlot(
            slot.worker.id,
            slot.worker.instance,
            slot.isCarved ? Optional.empty() : Optional.of(slot.number),
            need.job.id,
            allocation,
            slot.profile));
  }

  private Optional<ProfileRequirement> next() {
    return state.missing.next(state.capacity);
  }

  /** Lets go of workers that nobody needs and asks for those that are missing. */
  private void staff() {
    List<SlotAction> releases = new ArrayList<>();
    release(demand.dispensable(stock(), now), new WorkerIdle(demand.idleTimeout()), releases);
    release(demand.inTheWay(stock(), state.missing), new WorkerExceedsLimit(), releases);
    // Told first, so that those who go are not replaced.
    demand
        .wanted(stock(), state.sizes.counts(), state.missing)
        .ifPresent(workers -> actions.add(new WantWorkers(workers)));
    actions.addAll(releases);
  }

  private void release(List<RegisteredWorker> workers, Reason reason, List<SlotAction> releases) {
    for (RegisteredWorker worker : workers) {
      state.remove(worker);
      releases.add(new ReleaseWorker(worker.id, worker.instance, reason));
    }
  }

  private WorkerPlanner.Stock stock() {
    CapacityIndex capacity = state.capacity;
    return new WorkerPlanner.Stock(
        new WorkerTotals(state.sizes.workers(), state.sizes.slots(), capacity.total()),
        capacity.spareSlots(),
        capacity.promisedSlots(),
        capacity.inUse());
  }

  private void failWhatNeverFits() {
    if (now >= startUpEnds) {
      for (ResourceProfile profile : neverFitting()) {
        // Failing a job takes all its needs out, so the next one is always another job's.
        for (Optional<ProfileRequirement> next = state.missing.first(profile);
            next.isPresent();
            next = state.missing.first(profile)) {
          fail(
              next.get().job,
              SlotShortages.neverFits(next.get(), state.sizes, demand.refusal(profile)));
        }
      }
    }
  }

  private boolean failWhatWaitedTooLong() {
    shortages.numbers(numbers(), now);
    for (JobRequirements job : state.touched()) {
      shortages.track(job, job.countAnew, now);
      job.countAnew = false;
      if (job.missing == 0 && job.pending == 0) {
        job.lastRefusal = Optional.empty();
      }
    }
    List<JobRequirements> expired = shortages.expired(now);
    for (JobRequirements job : expired) {
      fail(job, shortages.timedOut(job, outlook(job)));
      shortages.track(job, false, now);
    }
    return !expired.isEmpty();
  }

  /** Tells jobs what has changed for them. */
  private void tellJobs() {
    shortages.numbers(numbers(), now);
    for (JobRequirements job : state.touched()) {
      note(job);
      tell(job);
      if (job.isForgettable()) {
        state.forget(job);
      }
    }
    shortages.stale(now).forEach(this::tell);
  }

  private SlotShortages.Numbers numbers() {
    CapacityIndex capacity = state.capacity;
    return new SlotShortages.Numbers(
        new SlotSupply(
            state.sizes.workers(),
            state.sizes.slots(),
            capacity.freeSlots(),
            capacity.blockedSlots(),
            capacity.total(),
            capacity.left()),
        demand.isActive() ? Optional.of(demand.circumstances()) : Optional.empty());
  }

  private List<ResourceProfile> neverFitting() {
    return state.missing.neverFitting(state.sizes, demand);
  }

  private void fail(JobRequirements job, Reason reason) {
    withdraw(job);
    job.toldMissing = 0;
    job.toldReason = Optional.empty();
    actions.add(new FailRequirements(job.id, reason));
  }

  private void tell(JobRequirements job) {
    Optional<Reason> reason =
        job.missing == 0 ? Optional.empty() : Optional.of(shortages.reason(job, outlook(job)));
    if (job.missing != job.toldMissing || !reason.equals(job.toldReason)) {
      job.toldMissing = job.missing;
      job.toldReason = reason;
      actions.add(new NotifyPending(job.id, job.missing, reason));
    }
  }

  /** What may end a job's shortage. */
  private List<Reason> outlook(JobRequirements job) {
    if (!demand.isActive()) {
      for (ResourceProfile profile : job.missing().keySet()) {
        if (!profile.isUnspecified() && !state.sizes.fit(profile)) {
          return List.of(SlotShortages.startLarger(profile, state.sizes));
        }
      }
    }
    return demand.outlook(job);
  }

  /** One line in the journal for a run of grants or releases: a job may have thousands of slots. */
  private void note(JobRequirements job) {
    if (job.granted > 0 && job.pending == 0) {
      actions.add(new Note(job.id, new SlotsAllocated(job.granted)));
      job.granted = 0;
    }
    if (job.released > 0 && job.held == 0) {
      actions.add(new Note(job.id, new SlotsReleased(job.released)));
      job.released = 0;
    }
  }
}
