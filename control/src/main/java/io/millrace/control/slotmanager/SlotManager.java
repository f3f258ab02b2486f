package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.slotmanager.ManagedSlot.Holder;
import io.millrace.control.slotmanager.ManagedSlot.State;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RecordEvent;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.RequestSlot;
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
import io.millrace.control.slotmanager.SlotEvent.WorkerDraining;
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
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.NoWorkerFits;
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
 * Allocates the slots of workers to the requirements of jobs: older jobs first, within a job larger
 * profiles first. After each event no free slot fits a missing one. Declares how many workers are
 * needed and releases idle ones.
 *
 * <p>Plain and single-threaded: {@link #apply} takes an event and the time and returns the actions,
 * in order.
 */
public final class SlotManager implements Decider<SlotEvent, SlotAction> {
  private final RandomGenerator random;
  private long startUpEnds;
  private final WorkerDemand demand;
  private final SlotState state;
  private final SlotShortages shortages = new SlotShortages();
  private final DrainingWorkers draining;
  private long now;

  /** The actions of the current event. */
  private List<SlotAction> actions = new ArrayList<>();

  /**
   * The use of the slots of a worker.
   *
   * @param slots the number of indexed slots
   * @param free the number of free indexed slots
   * @param left the resources that no slot has reserved
   */
  public record Usage(int slots, int free, ResourceProfile left, List<SlotInUse> inUse) {}

  public SlotManager(SlotSettings settings, RandomGenerator random, long nowNanos) {
    this.random = random;
    this.startUpEnds = nowNanos + settings.startUpTime().toNanos();
    this.demand = new WorkerDemand(settings);
    this.state = new SlotState(settings.spread(), demand);
    this.draining = new DrainingWorkers(state);
  }

  @Override
  public List<SlotAction> apply(SlotEvent event, long nowNanos) {
    now = nowNanos;
    actions = new ArrayList<>();
    state.advanceTo(nowNanos);
    if (event instanceof SlotsReported reported) {
      report(reported);
    } else if (event instanceof WorkerLost lost) {
      state.worker(lost.worker(), lost.instance()).ifPresent(state::remove);
    } else if (event instanceof SlotFreed freed) {
      free(freed);
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      withdraw(forgotten.job());
    } else if (event instanceof JobEnded ended) {
      endJob(ended.job());
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
      demand.configure(known.settings());
    } else if (event instanceof WorkersLimited limited) {
      demand.limit(limited.most());
    } else if (event instanceof WorkersBlocked block) {
      state.block(block.workers());
    } else if (event instanceof WorkerDraining notice) {
      draining.add(notice);
    } else if (event instanceof DataHeld data) {
      state
          .worker(data.worker(), data.instance())
          .ifPresent(worker -> demand.dataChanged(worker, data.held(), nowNanos));
    } else if (event instanceof SupplyStatus status) {
      demand.status(status);
    } else if (!(event instanceof SlotEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    List<SlotAction> drained = releaseDrained();
    allocateSlots();
    // First, so that no workers are declared for requirements that fail.
    failUnfulfillable();
    updateWorkers(drained);
    if (failTimedOut()) {
      updateWorkers(new ArrayList<>());
    }
    notifyJobs();
    return actions;
  }

  /** The latest time for the next {@link SlotEvent.Tick}. */
  @Override
  public OptionalLong nextWake() {
    long wake = Math.min(shortages.nextWake(), state.nextWake());
    wake = Math.min(wake, Math.min(demand.nextWake(), draining.nextWake()));
    if (!unfulfillable().isEmpty()) {
      wake = Math.min(wake, startUpEnds);
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** The use of the slots of a worker; empty if it has not reported its slots. */
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
      if (slot != null
          && slot.changedAt < event.asOfNanos()
          && !hasEnded(known.get(), status.occupant(), event.asOfNanos())) {
        update(slot, status);
      }
    }
    updateCarved(known.get(), event);
  }

  /** Whether the worker has freed the slot of an occupant after a report. */
  private static boolean hasEnded(
      RegisteredWorker worker, Optional<Occupant> occupant, long asOfNanos) {
    return occupant.filter(by -> worker.endedSince(by.allocation(), asOfNanos)).isPresent();
  }

  /**
   * A worker may have granted a request after it was given up, and have freed the slot again. A
   * report of the time between may arrive after this notice.
   */
  private void free(SlotFreed event) {
    Optional<ManagedSlot> held = state.held(event.worker(), event.instance(), event.allocation());
    if (held.isPresent()) {
      state.release(held.get());
    } else {
      state
          .worker(event.worker(), event.instance())
          .ifPresent(worker -> worker.ended(event.allocation(), now));
    }
  }

  private void create(SlotsReported event) {
    List<SlotStatus> indexed = event.report().slots();
    ResourceProfile slotProfile = indexed.isEmpty() ? event.total() : indexed.get(0).profile();
    RegisteredWorker worker =
        new RegisteredWorker(event.worker(), event.instance(), event.total(), slotProfile);
    for (SlotStatus status : indexed) {
      ManagedSlot slot = new ManagedSlot(worker, status.index(), status.profile(), false);
      slot.changedAt = now;
      if (worker.slots.putIfAbsent(status.index(), slot) == null) {
        worker.release(slot);
      }
    }
    state.add(worker);
    for (SlotStatus status : indexed) {
      status.occupant().ifPresent(occupant -> adopt(worker.slots.get(status.index()), occupant));
    }
    for (CarvedSlot carved : event.report().carved()) {
      adopt(worker.carve(carved.profile()), carved.occupant());
    }
    shortages.slotsRegistered(now);
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
    worker.removeEnded(event.asOfNanos());
  }

  /** A later report decides the state of a slot, except that it does not end a pending request. */
  private void update(ManagedSlot slot, SlotStatus status) {
    if (status.occupant().isPresent()) {
      adopt(slot, status.occupant().get());
    } else if (slot.state == State.ALLOCATED) {
      state.release(slot);
    }
  }

  /** The worker reports that the allocation has the slot. */
  private void adopt(ManagedSlot slot, Occupant occupant) {
    if (!slot.heldAs(occupant.allocation())) {
      JobRequirements job = state.job(occupant.job());
      state.detach(slot);
      state.hold(slot, new Holder(job, occupant.allocation()));
      actions.add(new RecordEvent(job.id, new SlotAdopted(slot.place())));
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
        new RecordEvent(
            job.id, new ResourceManagerEvent.SlotRefused(slot.place(), event.reason())));
    if (event.occupant().isPresent() && !slot.isCarved) {
      adopt(slot, event.occupant().get());
    } else {
      state.backOff(slot);
    }
  }

  private void declare(RequirementsDeclared event) {
    if (event.requirements().isEmpty() && state.knownJob(event.job()).isEmpty()) {
      return;
    }
    JobRequirements job = state.job(event.job());
    job.timeout = event.timeout();
    boolean[] changed = {false};
    state.change(job, () -> changed[0] = job.declare(event.requirements()));
    if (changed[0]) {
      job.restartTimeout = true;
      job.lastRefusal = Optional.empty();
    }
  }

  private void withdraw(JobId id) {
    state.knownJob(id).ifPresent(this::withdraw);
  }

  private void withdraw(JobRequirements job) {
    state.change(job, () -> job.declare(new ArrayList<>()));
  }

  /**
   * A worker may hold slots that the JobMaster does not know: requested while the job was ending,
   * or granted after the JobMaster had disconnected. Only the worker can free them.
   */
  private void endJob(JobId id) {
    withdraw(id);
    Map<WorkerId, RegisteredWorker> holding = new TreeMap<>();
    state
        .knownJob(id)
        .ifPresent(job -> job.surplus().forEach(slot -> holding.put(slot.worker.id, slot.worker)));
    holding.values().forEach(worker -> actions.add(new EndJob(worker.id, worker.instance, id)));
  }

  /** Allocates slots until no free slot fits a missing one. */
  private void allocateSlots() {
    state.missing.profiles().forEach(this::allocateCustomWorkers);
    for (Optional<ProfileRequirement> next = next(); next.isPresent(); next = next()) {
      allocate(state.capacity.best(next.get().profile).orElseThrow(), next.get());
    }
  }

  /** Custom workers serve the profile they were started for before requirements of older jobs. */
  private void allocateCustomWorkers(ResourceProfile profile) {
    Optional<ResourceProfile> total = demand.customFor(profile);
    Optional<RegisteredWorker> worker = total.flatMap(state.capacity::unused);
    Optional<ProfileRequirement> requirement = state.missing.first(profile);
    while (worker.isPresent() && requirement.isPresent()) {
      allocate(worker.get(), requirement.get());
      worker = total.flatMap(state.capacity::unused);
      requirement = state.missing.first(profile);
    }
  }

  private void allocate(RegisteredWorker worker, ProfileRequirement requirement) {
    ManagedSlot slot = worker.slotFor(requirement.profile);
    AllocationId allocation = AllocationId.random(random);
    state.hold(slot, new Holder(requirement.job, allocation), requirement);
    state.requested(slot);
    actions.add(
        new RequestSlot(
            slot.worker.id,
            slot.worker.instance,
            slot.isCarved ? Optional.empty() : Optional.of(slot.number),
            requirement.job.id,
            allocation,
            slot.profile));
  }

  private Optional<ProfileRequirement> next() {
    return state.missing.next(state.capacity);
  }

  /** Before slots are allocated: the jobs of these workers get other slots. */
  private List<SlotAction> releaseDrained() {
    List<SlotAction> releases = new ArrayList<>();
    for (RegisteredWorker worker : draining.due(state.capacity.freeDefaultSlots(), now)) {
      release(List.of(worker), draining.reason(worker), releases);
    }
    return releases;
  }

  /**
   * Releases idle workers and declares the workers that are needed.
   *
   * @param releases of this event so far
   */
  private void updateWorkers(List<SlotAction> releases) {
    release(
        demand.idleTooLong(registeredCapacity(), now),
        new WorkerIdle(demand.idleTimeout()),
        releases);
    release(
        demand.toDisplace(registeredCapacity(), state.missing), new WorkerExceedsLimit(), releases);
    // Declared before the releases, so that the worker pool does not replace released workers.
    demand
        .declare(registeredCapacity(), state.sizes.counts(), state.missing)
        .ifPresent(workers -> actions.add(new DeclareWorkers(workers)));
    actions.addAll(releases);
  }

  private void release(List<RegisteredWorker> workers, Reason reason, List<SlotAction> releases) {
    for (RegisteredWorker worker : workers) {
      state.remove(worker);
      draining.remove(worker.id);
      releases.add(new ReleaseWorker(worker.id, worker.instance, reason));
    }
  }

  private WorkerPlanner.RegisteredCapacity registeredCapacity() {
    CapacityIndex capacity = state.capacity;
    return new WorkerPlanner.RegisteredCapacity(
        new WorkerTotals(state.sizes.workers(), state.sizes.slots(), capacity.total()),
        capacity.freeDefaultSlots(),
        capacity.reclaimableSlots(),
        capacity.inUse(),
        draining.inUse());
  }

  private void failUnfulfillable() {
    if (now >= startUpEnds) {
      for (ResourceProfile profile : unfulfillable()) {
        // fail() removes all requirements of the job, so each iteration is about another job.
        for (Optional<ProfileRequirement> next = state.missing.first(profile);
            next.isPresent();
            next = state.missing.first(profile)) {
          SlotReason cause =
              demand
                  .refusal(profile)
                  .orElseGet(() -> SlotShortages.registeredTooSmall(state.sizes));
          fail(next.get().job, new NoWorkerFits(next.get().required, profile, cause));
        }
      }
    }
  }

  private boolean failTimedOut() {
    shortages.update(supplyAndDemand(), now);
    for (JobRequirements job : state.touched()) {
      shortages.track(job, job.restartTimeout, now);
      job.restartTimeout = false;
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

  /** Notifies jobs of changed shortages. */
  private void notifyJobs() {
    shortages.update(supplyAndDemand(), now);
    for (JobRequirements job : state.touched()) {
      recordGrantsAndReleases(job);
      notifyJob(job);
      if (job.isObsolete()) {
        state.remove(job);
      }
    }
    shortages.stale(now).forEach(this::notifyJob);
  }

  private SlotShortages.SupplyAndDemand supplyAndDemand() {
    CapacityIndex capacity = state.capacity;
    return new SlotShortages.SupplyAndDemand(
        new SlotSupply(
            state.sizes.workers(),
            state.sizes.slots(),
            capacity.freeSlots(),
            capacity.blockedSlots(),
            capacity.total(),
            capacity.left()),
        demand.isActive() ? Optional.of(demand.demandStatus()) : Optional.empty());
  }

  private List<ResourceProfile> unfulfillable() {
    return state.missing.unfulfillable(state.sizes, demand);
  }

  private void fail(JobRequirements job, Reason reason) {
    withdraw(job);
    job.notifiedMissing = 0;
    job.notifiedReason = Optional.empty();
    actions.add(new FailRequirements(job.id, reason));
  }

  private void notifyJob(JobRequirements job) {
    Optional<Reason> reason =
        job.missing == 0 ? Optional.empty() : Optional.of(shortages.reason(job, outlook(job)));
    if (job.missing != job.notifiedMissing || !reason.equals(job.notifiedReason)) {
      job.notifiedMissing = job.missing;
      job.notifiedReason = reason;
      actions.add(new NotifyPending(job.id, job.missing, reason));
    }
  }

  /** What can end the shortage of a job. */
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

  /** Records one event for a series of grants or releases: a job can have thousands of slots. */
  private void recordGrantsAndReleases(JobRequirements job) {
    if (job.granted > 0 && job.pending == 0) {
      actions.add(new RecordEvent(job.id, new SlotsAllocated(job.granted)));
      job.granted = 0;
    }
    if (job.released > 0 && job.held == 0) {
      actions.add(new RecordEvent(job.id, new SlotsReleased(job.released)));
      job.released = 0;
    }
  }
}
