package io.millrace.control.slotmanager;

import static io.millrace.control.Reasons.words;

import io.millrace.control.slotmanager.NaiveSlotState.Job;
import io.millrace.control.slotmanager.NaiveSlotState.Slot;
import io.millrace.control.slotmanager.NaiveSlotState.State;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
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
import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The oracle for {@link SlotManager}: the same rules without any index. Each decision searches all
 * slots and all jobs, so it is slow and simple to verify. Its actions contain no reasons and no
 * journal events.
 */
final class NaiveSlotManager {
  private final SlotSettings settings;
  private final RandomGenerator random;
  private final long startUpEnds;
  private final NaiveSlotState state = new NaiveSlotState();
  private final NaiveWorkerPlanner planner;
  private List<SlotAction> actions = new ArrayList<>();
  private long slotsRegisteredAt = Long.MIN_VALUE;
  private long now;

  NaiveSlotManager(SlotSettings settings, RandomGenerator random, long nowNanos) {
    this.settings = settings;
    this.random = random;
    this.startUpEnds = nowNanos + settings.startUpTime().toNanos();
    this.planner = new NaiveWorkerPlanner(settings, state);
  }

  List<SlotAction> apply(SlotEvent event, long nowNanos) {
    now = nowNanos;
    actions = new ArrayList<>();
    endBackoff();
    if (event instanceof SlotsReported reported) {
      report(reported);
    } else if (event instanceof WorkerLost lost) {
      state.removeWhere(
          slot -> slot.worker.equals(lost.worker()) && slot.instance.equals(lost.instance()));
    } else if (event instanceof SlotFreed freed) {
      state
          .find(freed.worker(), freed.instance(), freed.allocation())
          .ifPresentOrElse(this::free, () -> freedUnknown(freed));
    } else if (event instanceof RequirementsDeclared declared) {
      declare(declared);
    } else if (event instanceof JobForgotten forgotten) {
      state.known(forgotten.job()).ifPresent(state::withdraw);
    } else if (event instanceof JobEnded ended) {
      endJob(ended.job());
    } else if (event instanceof SlotGranted granted) {
      state
          .find(granted.worker(), granted.instance(), granted.allocation())
          .filter(slot -> slot.state == State.PENDING)
          .ifPresent(this::allocated);
    } else if (event instanceof SlotRefused refused) {
      state
          .find(refused.worker(), refused.instance(), refused.allocation())
          .filter(slot -> slot.state == State.PENDING)
          .ifPresent(slot -> refuse(slot, refused));
    } else if (event instanceof WorkersLimited limited) {
      planner.limit(limited.most());
    } else if (event instanceof WorkersBlocked block) {
      state.blocked = block.workers();
    }
    allocateSlots();
    failUnfulfillable();
    actions.addAll(planner.update(now));
    if (failTimedOut()) {
      actions.addAll(planner.update(now));
    }
    notifyJobs();
    return actions;
  }

  Optional<SlotManager.Usage> usage(WorkerId worker) {
    return state.usage(worker);
  }

  private void endBackoff() {
    state.slots.removeIf(
        slot -> slot.carved && slot.state == State.BACKING_OFF && slot.backoffUntil <= now);
    for (Slot slot : state.slots) {
      if (slot.state == State.BACKING_OFF && slot.backoffUntil <= now) {
        slot.state = State.FREE;
      }
    }
  }

  private void report(SlotsReported event) {
    WorkerId worker = event.worker();
    state.removeWhere(
        slot -> slot.worker.equals(worker) && !slot.instance.equals(event.instance()));
    boolean known = !state.of(worker).isEmpty();
    if (!known) {
      state.addWorker(worker, event.total(), event.report().slots().size());
      for (SlotStatus status : event.report().slots()) {
        state.add(worker, event.instance(), status.index(), status.profile()).changedAt = now;
      }
      slotsRegisteredAt = now;
    }
    for (SlotStatus status : event.report().slots()) {
      Slot slot = state.indexed(worker).get(status.index());
      if (known && slot.changedAt >= event.asOfNanos()) {
        continue;
      }
      if (known
          && status.occupant().isPresent()
          && hasEnded(worker, status.occupant().get().allocation(), event.asOfNanos())) {
        continue;
      }
      if (status.occupant().isPresent()) {
        adopt(slot, status.occupant().get());
      } else if (slot.state == State.ALLOCATED) {
        free(slot);
      }
    }
    reportCarved(event);
    state.ended.get(worker).values().removeIf(time -> time < event.asOfNanos());
  }

  private void reportCarved(SlotsReported event) {
    for (CarvedSlot carved : event.report().carved()) {
      AllocationId allocation = carved.occupant().allocation();
      Optional<Slot> slot = state.find(event.worker(), event.instance(), allocation);
      if (slot.isPresent()) {
        if (slot.get().changedAt < event.asOfNanos()) {
          adopt(slot.get(), carved.occupant());
        }
      } else if (!hasEnded(event.worker(), allocation, event.asOfNanos())) {
        adopt(state.carve(event.worker(), event.instance(), carved.profile()), carved.occupant());
      }
    }
    for (Slot slot : state.of(event.worker())) {
      if (slot.carved
          && slot.state == State.ALLOCATED
          && slot.changedAt < event.asOfNanos()
          && event.report().carved().stream()
              .noneMatch(carved -> carved.occupant().allocation().equals(slot.allocation))) {
        free(slot);
      }
    }
  }

  private boolean hasEnded(WorkerId worker, AllocationId allocation, long asOfNanos) {
    return state.ended.get(worker).getOrDefault(allocation, Long.MIN_VALUE) >= asOfNanos;
  }

  private void freedUnknown(SlotFreed event) {
    if (state.of(event.worker()).stream()
        .anyMatch(slot -> slot.instance.equals(event.instance()))) {
      state.ended.get(event.worker()).put(event.allocation(), now);
    }
  }

  private void declare(RequirementsDeclared event) {
    if (event.requirements().isEmpty() && state.known(event.job()).isEmpty()) {
      return;
    }
    Job job = state.job(event.job());
    Map<ResourceProfile, Integer> before = new LinkedHashMap<>(job.required);
    job.required.clear();
    event
        .requirements()
        .forEach(
            requirement ->
                job.required.merge(requirement.profile(), requirement.slots(), Integer::sum));
    job.timeout = event.timeout();
    job.restartTimeout |= !before.equals(job.required);
    state.assignSurplus(job);
    state.assignExactly(job);
  }

  private void endJob(JobId id) {
    state.known(id).ifPresent(state::withdraw);
    state.slots.stream()
        .filter(slot -> id.equals(slot.job))
        .map(slot -> new EndJob(slot.worker, slot.instance, id))
        .distinct()
        .forEach(actions::add);
  }

  private void adopt(Slot slot, Occupant occupant) {
    if (!occupant.allocation().equals(slot.allocation)) {
      state.detach(slot);
      slot.job = occupant.job();
      slot.allocation = occupant.allocation();
      state.serveAny(state.job(occupant.job()), slot);
    }
    if (slot.state != State.ALLOCATED) {
      allocated(slot);
    }
  }

  private void allocated(Slot slot) {
    slot.state = State.ALLOCATED;
    slot.changedAt = now;
    state.job(slot.job).restartTimeout = true;
  }

  private void refuse(Slot slot, SlotRefused event) {
    if (event.occupant().isPresent() && !slot.carved) {
      adopt(slot, event.occupant().get());
    } else {
      state.ended.get(slot.worker).put(slot.allocation, now);
      state.detach(slot);
      slot.state = State.BACKING_OFF;
      slot.changedAt = now;
      slot.backoffUntil = now + SlotState.RETRY_DELAY.toNanos();
    }
  }

  private void free(Slot slot) {
    state.ended.get(slot.worker).put(slot.allocation, now);
    if (slot.carved) {
      state.slots.remove(slot);
    }
    state.detach(slot);
    slot.changedAt = now;
  }

  private void allocateSlots() {
    state.jobs.sort(Comparator.comparingLong(job -> job.order));
    for (ResourceProfile profile : state.missingProfiles()) {
      planner
          .customFor(profile)
          .flatMap(spec -> unused(spec.total()))
          .ifPresent(
              worker ->
                  allocate(
                      state.jobs.stream()
                          .filter(job -> state.missing(job, profile) > 0)
                          .findFirst()
                          .orElseThrow(),
                      profile,
                      slotOn(worker, profile)));
    }
    for (Job job : state.jobs) {
      for (ResourceProfile profile : job.required.keySet()) {
        while (state.missing(job, profile) > 0) {
          Optional<Slot> best = best(profile);
          if (best.isEmpty()) {
            break;
          }
          allocate(job, profile, best.get());
        }
      }
    }
  }

  private void allocate(Job job, ResourceProfile profile, Slot slot) {
    slot.state = State.PENDING;
    slot.changedAt = now;
    slot.job = job.id;
    slot.allocation = AllocationId.random(random);
    slot.serves = profile;
    actions.add(
        new RequestSlot(
            slot.worker,
            slot.instance,
            slot.carved ? Optional.empty() : Optional.of(slot.index),
            job.id,
            slot.allocation,
            slot.profile));
  }

  /** An unused worker with exactly this total. */
  private Optional<WorkerId> unused(ResourceProfile total) {
    Comparator<WorkerId> order =
        Comparator.comparing(planner::isCustom)
            .thenComparing(state::slotProfile)
            .thenComparing(worker -> state.freeIndexed(worker).isPresent());
    return state.workers().stream()
        .filter(worker -> !state.blocked.contains(worker))
        .filter(state::isUnused)
        .filter(worker -> state.left(worker).equals(total))
        .min(
            (settings.spread() ? order.thenComparingDouble(state::load) : order)
                .thenComparing(Comparator.naturalOrder()));
  }

  private Optional<Slot> best(ResourceProfile needed) {
    Comparator<WorkerId> order =
        settings.spread()
            ? Comparator.comparingDouble(state::load)
            : Comparator.comparing(state::isUnused)
                .thenComparing(planner::isCustom)
                .thenComparing(state::left)
                .thenComparing(state::slotProfile)
                .thenComparing(worker -> state.freeIndexed(worker).isPresent());
    return state.workers().stream()
        .filter(worker -> !state.blocked.contains(worker))
        .filter(
            worker ->
                needed.isUnspecified()
                    ? state.freeIndexed(worker).isPresent()
                        && state.left(worker).fits(state.slotProfile(worker))
                    : state.left(worker).fits(needed))
        .min(order.thenComparing(Comparator.naturalOrder()))
        .map(worker -> slotOn(worker, needed));
  }

  private Slot slotOn(WorkerId worker, ResourceProfile needed) {
    return state
        .freeIndexed(worker)
        .filter(slot -> needed.isUnspecified() || needed.equals(slot.profile))
        .orElseGet(() -> state.carve(worker, state.instance(worker), needed));
  }

  private void failUnfulfillable() {
    state.jobs.sort(Comparator.comparing(job -> job.id));
    if (now >= startUpEnds && (!state.slots.isEmpty() || settings.startable().isPresent())) {
      for (Job job : state.jobs) {
        boolean unfulfillable =
            job.required.keySet().stream()
                .anyMatch(
                    profile ->
                        state.missing(job, profile) > 0
                            && state.slots.stream()
                                .noneMatch(slot -> state.totals.get(slot.worker).fits(profile))
                            && !planner.canStartFor(profile));
        if (unfulfillable) {
          fail(job);
        }
      }
    }
  }

  private boolean failTimedOut() {
    boolean failed = false;
    for (Job job : state.jobs) {
      boolean waiting =
          state.missing(job) > 0 || (state.pending(job) > 0 && !job.required.isEmpty());
      if (waiting && (!job.waiting || job.restartTimeout)) {
        job.waitingSince = now;
      }
      job.waiting = waiting;
      job.restartTimeout = false;
      if (waiting && Math.max(job.waitingSince, slotsRegisteredAt) + job.timeout.toNanos() <= now) {
        fail(job);
        job.waiting = false;
        failed = true;
      }
    }
    return failed;
  }

  private void notifyJobs() {
    state.jobs.sort(Comparator.comparing(job -> job.id));
    for (Job job : state.jobs) {
      if (state.missing(job) != job.notifiedMissing) {
        job.notifiedMissing = state.missing(job);
        actions.add(new NotifyPending(job.id, job.notifiedMissing, Optional.empty()));
      }
    }
    state.jobs.removeIf(
        job ->
            job.required.isEmpty()
                && state.slots.stream().noneMatch(slot -> job.id.equals(slot.job)));
  }

  private void fail(Job job) {
    state.withdraw(job);
    job.notifiedMissing = 0;
    actions.add(new FailRequirements(job.id, words("")));
  }
}
