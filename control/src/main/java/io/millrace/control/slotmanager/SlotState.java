package io.millrace.control.slotmanager;

import io.millrace.control.slotmanager.ManagedSlot.Holder;
import io.millrace.control.slotmanager.ManagedSlot.State;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who has which slot of whom, and every index over that. A slot changes hands here and nowhere
 * else, so that what is missing, what is free and who is idle always agree; what ought to change
 * hands is the {@link SlotManager}'s decision.
 */
final class SlotState {
  /** How long a slot whose request failed is left alone, so that others are tried first. */
  static final Duration REST = Duration.ofSeconds(1);

  final CapacityIndex capacity;
  final WorkerSizes sizes = new WorkerSizes();
  final MissingSlots missing = new MissingSlots();
  private final WorkerDemand demand;
  private final Map<WorkerId, RegisteredWorker> workers = new TreeMap<>();
  private final Map<JobId, JobRequirements> jobs = new TreeMap<>();
  private final TreeSet<ManagedSlot> resting =
      new TreeSet<>(
          Comparator.comparingLong((ManagedSlot slot) -> slot.restsUntil)
              .thenComparing(ManagedSlot.IN_ORDER));
  private final Map<JobId, JobRequirements> touched = new LinkedHashMap<>();
  private Set<WorkerId> blocked = new TreeSet<>();
  private long nextOrder;
  private long now;

  SlotState(boolean spread, WorkerDemand demand) {
    this.capacity = new CapacityIndex(spread);
    this.demand = demand;
  }

  /** What follows happens at this time; slots that have rested for long enough are free again. */
  void turnTo(long nowNanos) {
    now = nowNanos;
    touched.clear();
    while (!resting.isEmpty() && resting.first().restsUntil <= now) {
      ManagedSlot slot = resting.pollFirst();
      slot.state = State.FREE;
      capacity.change(slot.worker, () -> slot.worker.release(slot));
    }
  }

  /** When the next slot has rested for long enough, or the end of time. */
  long nextWake() {
    return resting.isEmpty() ? Long.MAX_VALUE : resting.first().restsUntil;
  }

  Optional<RegisteredWorker> worker(WorkerId id) {
    return Optional.ofNullable(workers.get(id));
  }

  Optional<RegisteredWorker> worker(WorkerId id, InstanceId instance) {
    return worker(id).filter(known -> known.instance.equals(instance));
  }

  Optional<ManagedSlot> held(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return worker(worker, instance).flatMap(known -> known.held(allocation));
  }

  /** The slot, where it still waits for the answer to just this request. */
  Optional<ManagedSlot> pending(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return held(worker, instance, allocation).filter(slot -> slot.state == State.PENDING);
  }

  /** A job that was not known before is younger than all others. */
  JobRequirements job(JobId id) {
    return jobs.computeIfAbsent(id, key -> new JobRequirements(key, nextOrder++, capacity));
  }

  Optional<JobRequirements> known(JobId id) {
    return Optional.ofNullable(jobs.get(id));
  }

  /** The jobs for which anything has changed since the last turn. */
  List<JobRequirements> touched() {
    return new ArrayList<>(touched.values());
  }

  void touch(JobRequirements job) {
    touched.put(job.id, job);
  }

  void forget(JobRequirements job) {
    jobs.remove(job.id);
  }

  /** Runs what changes the needs or slots of a job. */
  void change(JobRequirements job, Runnable change) {
    missing.change(job, change);
    touch(job);
  }

  /** A worker has come, with slots that are all free. */
  void add(RegisteredWorker worker) {
    worker.blocked = blocked.contains(worker.id);
    worker.isUsual = demand.isUsual(worker.spec());
    workers.put(worker.id, worker);
    capacity.add(worker);
    sizes.add(worker);
    demand.used(worker, now);
  }

  void remove(RegisteredWorker worker) {
    worker.all().forEach(this::abandon);
    capacity.remove(worker);
    sizes.remove(worker);
    demand.left(worker);
    workers.remove(worker.id);
  }

  /** These workers, and no others, give nothing to anybody. */
  void block(List<WorkerId> these) {
    blocked = new TreeSet<>(these);
    for (RegisteredWorker worker : workers.values()) {
      boolean isBlocked = blocked.contains(worker.id);
      if (worker.blocked != isBlocked) {
        capacity.remove(worker);
        worker.blocked = isBlocked;
        capacity.add(worker);
      }
    }
  }

  /** Makes a slot somebody's; it must be nobody's. */
  void hold(ManagedSlot slot, Holder holder, Optional<ProfileRequirement> intended) {
    resting.remove(slot);
    capacity.change(slot.worker, () -> slot.worker.hold(slot, holder.allocation()));
    demand.used(slot.worker, now);
    slot.holder = Optional.of(holder);
    change(holder.job(), () -> holder.job().take(slot, intended));
  }

  /** The slot is asked of its worker on behalf of its holder. */
  void requested(ManagedSlot slot) {
    slot.state = State.PENDING;
    slot.changedAt = now;
    slot.holder.orElseThrow().job().pending++;
  }

  /** The worker has given the slot to its holder. */
  void allocated(ManagedSlot slot) {
    JobRequirements job = slot.holder.orElseThrow().job();
    if (slot.state == State.PENDING) {
      job.pending--;
      job.granted++;
    }
    slot.state = State.ALLOCATED;
    slot.changedAt = now;
    job.countAnew = true;
    touch(job);
  }

  /** Makes a slot nobody's, without yet making it free for others. */
  void abandon(ManagedSlot slot) {
    resting.remove(slot);
    if (slot.holder.isPresent()) {
      JobRequirements job = slot.holder.get().job();
      AllocationId allocation = slot.holder.get().allocation();
      if (slot.state == State.PENDING) {
        job.pending--;
      }
      slot.holder = Optional.empty();
      capacity.change(slot.worker, () -> slot.worker.abandon(slot, allocation));
      demand.used(slot.worker, now);
      change(job, () -> job.lose(slot));
    }
    slot.state = State.FREE;
  }

  /** Its holder's time is over: others may have it. */
  void release(ManagedSlot slot) {
    slot.holder.ifPresent(holder -> holder.job().released++);
    end(slot);
    capacity.change(slot.worker, () -> slot.worker.release(slot));
  }

  /** Its holder's time is over, but for a while nobody is to have it. */
  void rest(ManagedSlot slot) {
    end(slot);
    slot.state = State.RESTING;
    slot.restsUntil = now + REST.toNanos();
    resting.add(slot);
  }

  private void end(ManagedSlot slot) {
    if (slot.isCarved) {
      slot.holder.ifPresent(holder -> slot.worker.ended(holder.allocation(), now));
    }
    abandon(slot);
    slot.changedAt = now;
  }
}
