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
 * The slots of all workers with their holders, and all indexes over them. Only this class changes
 * the holder of a slot, so that missing slots, free capacity and idle workers are consistent. The
 * {@link SlotManager} decides on the changes.
 */
final class SlotState {
  /** How long a slot is not requested again after a failed request. */
  static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  final CapacityIndex capacity;
  final WorkerSizes sizes = new WorkerSizes();
  final MissingSlots missing = new MissingSlots();
  private final WorkerDemand demand;
  private final Map<WorkerId, RegisteredWorker> workers = new TreeMap<>();
  private final Map<JobId, JobRequirements> jobs = new TreeMap<>();
  private final TreeSet<ManagedSlot> backingOff =
      new TreeSet<>(
          Comparator.comparingLong((ManagedSlot slot) -> slot.backoffUntil)
              .thenComparing(ManagedSlot.IN_ORDER));
  private final Map<JobId, JobRequirements> touched = new LinkedHashMap<>();
  private Set<WorkerId> blocked = new TreeSet<>();
  private long nextOrder;
  private long now;

  SlotState(boolean spread, WorkerDemand demand) {
    this.capacity = new CapacityIndex(spread);
    this.demand = demand;
  }

  /** Sets the time of the changes that follow, and frees slots whose retry delay is over. */
  void advanceTo(long nowNanos) {
    now = nowNanos;
    touched.clear();
    while (!backingOff.isEmpty() && backingOff.first().backoffUntil <= now) {
      ManagedSlot slot = backingOff.pollFirst();
      slot.state = State.FREE;
      capacity.change(slot.worker, () -> slot.worker.release(slot));
    }
  }

  /** The end of the next retry delay; {@code Long.MAX_VALUE} if no slot is backing off. */
  long nextWake() {
    return backingOff.isEmpty() ? Long.MAX_VALUE : backingOff.first().backoffUntil;
  }

  Optional<RegisteredWorker> worker(WorkerId id) {
    return Optional.ofNullable(workers.get(id));
  }

  Optional<RegisteredWorker> worker(WorkerId id, InstanceId instance) {
    return worker(id).filter(worker -> worker.instance.equals(instance));
  }

  Optional<ManagedSlot> held(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return worker(worker, instance).flatMap(known -> known.held(allocation));
  }

  /** The slot if it is PENDING for the allocation. */
  Optional<ManagedSlot> pending(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return held(worker, instance, allocation).filter(slot -> slot.state == State.PENDING);
  }

  /** The job; created as the youngest one if it is not known. */
  JobRequirements job(JobId id) {
    return jobs.computeIfAbsent(id, key -> new JobRequirements(key, nextOrder++, capacity));
  }

  Optional<JobRequirements> knownJob(JobId id) {
    return Optional.ofNullable(jobs.get(id));
  }

  /** The jobs that changed since {@link #advanceTo}. */
  List<JobRequirements> touched() {
    return new ArrayList<>(touched.values());
  }

  void touch(JobRequirements job) {
    touched.put(job.id, job);
  }

  void remove(JobRequirements job) {
    jobs.remove(job.id);
  }

  /** Runs a change of the requirements or slots of a job and updates the indexes. */
  void change(JobRequirements job, Runnable change) {
    missing.change(job, change);
    touch(job);
  }

  /** Adds a worker whose slots are all free. */
  void add(RegisteredWorker worker) {
    worker.blocked = blocked.contains(worker.id);
    worker.isDefault = demand.isDefault(worker.spec());
    workers.put(worker.id, worker);
    capacity.add(worker);
    sizes.add(worker);
    demand.usageChanged(worker, now);
  }

  void remove(RegisteredWorker worker) {
    worker.all().forEach(this::detach);
    capacity.remove(worker);
    sizes.remove(worker);
    demand.removed(worker);
    workers.remove(worker.id);
  }

  /** Replaces the list of blocked workers. */
  void block(List<WorkerId> ids) {
    blocked = new TreeSet<>(ids);
    for (RegisteredWorker worker : workers.values()) {
      boolean isBlocked = blocked.contains(worker.id);
      if (worker.blocked != isBlocked) {
        capacity.remove(worker);
        worker.blocked = isBlocked;
        capacity.add(worker);
      }
    }
  }

  /** Sets the holder of a slot that has none. */
  void hold(ManagedSlot slot, Holder holder) {
    setHolder(slot, holder);
    change(holder.job(), () -> holder.job().take(slot));
  }

  /** Sets the holder of a slot that has none, for one of its requirements. */
  void hold(ManagedSlot slot, Holder holder, ProfileRequirement intended) {
    setHolder(slot, holder);
    change(holder.job(), () -> holder.job().take(slot, intended));
  }

  private void setHolder(ManagedSlot slot, Holder holder) {
    backingOff.remove(slot);
    capacity.change(slot.worker, () -> slot.worker.hold(slot, holder.allocation()));
    demand.usageChanged(slot.worker, now);
    slot.holder = Optional.of(holder);
  }

  /** The slot is requested from its worker for its holder. */
  void requested(ManagedSlot slot) {
    slot.state = State.PENDING;
    slot.changedAt = now;
    slot.holder.orElseThrow().job().pending++;
  }

  /** The worker has allocated the slot for its holder. */
  void allocated(ManagedSlot slot) {
    JobRequirements job = slot.holder.orElseThrow().job();
    if (slot.state == State.PENDING) {
      job.pending--;
      job.granted++;
    }
    slot.state = State.ALLOCATED;
    slot.changedAt = now;
    job.restartTimeout = true;
    touch(job);
  }

  /** Removes the holder of a slot. Its resources stay reserved. */
  void detach(ManagedSlot slot) {
    backingOff.remove(slot);
    if (slot.holder.isPresent()) {
      JobRequirements job = slot.holder.get().job();
      AllocationId allocation = slot.holder.get().allocation();
      if (slot.state == State.PENDING) {
        job.pending--;
      }
      slot.holder = Optional.empty();
      capacity.change(slot.worker, () -> slot.worker.detach(slot, allocation));
      demand.usageChanged(slot.worker, now);
      change(job, () -> job.lose(slot));
    }
    slot.state = State.FREE;
  }

  /** Removes the holder of a slot and frees the slot. */
  void release(ManagedSlot slot) {
    slot.holder.ifPresent(holder -> holder.job().released++);
    end(slot);
    capacity.change(slot.worker, () -> slot.worker.release(slot));
  }

  /** Removes the holder of a slot. The slot is not requested again for {@link #RETRY_DELAY}. */
  void backOff(ManagedSlot slot) {
    end(slot);
    slot.state = State.BACKING_OFF;
    slot.backoffUntil = now + RETRY_DELAY.toNanos();
    backingOff.add(slot);
  }

  private void end(ManagedSlot slot) {
    slot.holder.ifPresent(holder -> slot.worker.ended(holder.allocation(), now));
    detach(slot);
    slot.changedAt = now;
  }
}
