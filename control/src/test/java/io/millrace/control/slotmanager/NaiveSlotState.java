package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The slots and jobs of a {@link NaiveSlotManager}, in lists without any index. */
final class NaiveSlotState {
  enum State {
    FREE,
    PENDING,
    ALLOCATED,
    BACKING_OFF
  }

  static final class Slot {
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
    long backoffUntil;
  }

  static final class Job {
    JobId id;
    long order;
    Map<ResourceProfile, Integer> required = new TreeMap<>(Comparator.reverseOrder());
    boolean waiting;
    boolean restartTimeout;
    long waitingSince;
    Duration timeout = Duration.ZERO;
    int notifiedMissing;
  }

  final List<Slot> slots = new ArrayList<>();
  final List<Job> jobs = new ArrayList<>();
  final Map<WorkerId, ResourceProfile> totals = new TreeMap<>();
  final Map<WorkerId, Map<AllocationId, Long>> ended = new TreeMap<>();
  List<WorkerId> blocked = new ArrayList<>();
  private final Map<WorkerId, Integer> carvedCounts = new TreeMap<>();
  private long nextOrder;

  void addWorker(WorkerId worker, ResourceProfile total, int indexedSlots) {
    totals.put(worker, total);
    carvedCounts.put(worker, indexedSlots);
    ended.put(worker, new LinkedHashMap<>());
  }

  Slot add(WorkerId worker, InstanceId instance, int index, ResourceProfile profile) {
    Slot slot = new Slot();
    slot.worker = worker;
    slot.instance = instance;
    slot.index = index;
    slot.profile = profile;
    slots.add(slot);
    slots.sort(Comparator.comparing((Slot s) -> s.worker).thenComparingInt(s -> s.index));
    return slot;
  }

  Slot carve(WorkerId worker, InstanceId instance, ResourceProfile profile) {
    Slot slot = add(worker, instance, carvedCounts.merge(worker, 1, Integer::sum) - 1, profile);
    slot.carved = true;
    return slot;
  }

  void removeWhere(Predicate<Slot> condition) {
    List<Slot> removed = slots.stream().filter(condition).toList();
    removed.forEach(this::detach);
    slots.removeAll(removed);
  }

  /** Removes the job of a slot. */
  void detach(Slot slot) {
    slot.state = State.FREE;
    slot.allocation = null;
    slot.serves = null;
    if (slot.job != null) {
      JobId job = slot.job;
      slot.job = null;
      assignSurplus(job(job));
    }
  }

  void withdraw(Job job) {
    job.required.clear();
    assignSurplus(job);
  }

  /** Lets a slot of the job serve the first requirement that it fits. */
  void serveAny(Job job, Slot slot) {
    slot.serves =
        job.required.keySet().stream()
            .filter(profile -> missing(job, profile) > 0 && slot.profile.fits(profile))
            .findFirst()
            .orElse(null);
  }

  /** Computes which requirement each slot of the job serves. */
  void assignSurplus(Job job) {
    for (Slot slot : slots) {
      if (job.id.equals(slot.job)
          && slot.serves != null
          && !job.required.containsKey(slot.serves)) {
        slot.serves = null;
      }
    }
    for (ResourceProfile profile : job.required.keySet()) {
      for (int i = slots.size() - 1; i >= 0; i--) {
        Slot slot = slots.get(i);
        if (serving(job, profile) > job.required.get(profile)
            && job.id.equals(slot.job)
            && profile.equals(slot.serves)) {
          slot.serves = null;
        }
      }
    }
    for (ResourceProfile profile : job.required.keySet()) {
      for (Slot slot : slots) {
        if (missing(job, profile) > 0
            && job.id.equals(slot.job)
            && slot.serves == null
            && slot.profile.fits(profile)) {
          slot.serves = profile;
        }
      }
    }
  }

  /** Lets slots serve the requirement of their own profile instead of another one. */
  void assignExactly(Job job) {
    for (ResourceProfile profile : job.required.keySet()) {
      for (ResourceProfile other : job.required.keySet()) {
        for (Slot slot : slots) {
          if (missing(job, profile) > 0
              && job.id.equals(slot.job)
              && !other.equals(profile)
              && other.equals(slot.serves)
              && slot.profile.equals(profile)) {
            slot.serves = profile;
          }
        }
      }
    }
    assignSurplus(job);
  }

  /** The job; created as the youngest one if it is not known. */
  Job job(JobId id) {
    return known(id)
        .orElseGet(
            () -> {
              Job job = new Job();
              job.id = id;
              job.order = nextOrder++;
              jobs.add(job);
              return job;
            });
  }

  Optional<Job> known(JobId id) {
    return jobs.stream().filter(job -> job.id.equals(id)).findFirst();
  }

  int missing(Job job, ResourceProfile profile) {
    return Math.max(0, job.required.getOrDefault(profile, 0) - serving(job, profile));
  }

  int missing(Job job) {
    return job.required.keySet().stream().mapToInt(profile -> missing(job, profile)).sum();
  }

  private int serving(Job job, ResourceProfile profile) {
    return (int)
        slots.stream()
            .filter(slot -> job.id.equals(slot.job) && profile.equals(slot.serves))
            .count();
  }

  long pending(Job job) {
    return slots.stream()
        .filter(slot -> job.id.equals(slot.job) && slot.state == State.PENDING)
        .count();
  }

  /** The profile of each missing slot, larger profiles first. */
  List<ResourceProfile> missingProfiles() {
    List<ResourceProfile> profiles = new ArrayList<>();
    for (Job job : jobs) {
      for (ResourceProfile profile : job.required.keySet()) {
        for (int i = 0; i < missing(job, profile); i++) {
          profiles.add(profile);
        }
      }
    }
    profiles.sort(Comparator.reverseOrder());
    return profiles;
  }

  Optional<Slot> find(WorkerId worker, InstanceId instance, AllocationId allocation) {
    return slots.stream()
        .filter(slot -> slot.worker.equals(worker) && slot.instance.equals(instance))
        .filter(slot -> allocation.equals(slot.allocation))
        .findFirst();
  }

  List<WorkerId> workers() {
    return slots.stream().map(slot -> slot.worker).distinct().toList();
  }

  List<Slot> of(WorkerId worker) {
    return slots.stream().filter(slot -> slot.worker.equals(worker)).toList();
  }

  List<Slot> indexed(WorkerId worker) {
    return of(worker).stream().filter(slot -> !slot.carved).toList();
  }

  Optional<Slot> freeIndexed(WorkerId worker) {
    return indexed(worker).stream().filter(slot -> slot.state == State.FREE).findFirst();
  }

  /** The profile of the indexed slots of a worker. */
  ResourceProfile slotProfile(WorkerId worker) {
    return indexed(worker).get(0).profile;
  }

  InstanceId instance(WorkerId worker) {
    return of(worker).get(0).instance;
  }

  WorkerSpec spec(WorkerId worker) {
    return new WorkerSpec(totals.get(worker), indexed(worker).size());
  }

  boolean isUnused(WorkerId worker) {
    return of(worker).stream().allMatch(slot -> slot.job == null);
  }

  ResourceProfile left(WorkerId worker) {
    return totals.get(worker).minus(reserved(worker));
  }

  private ResourceProfile reserved(WorkerId worker) {
    return of(worker).stream()
        .filter(slot -> slot.state != State.FREE)
        .map(slot -> slot.profile)
        .reduce(ResourceProfile.UNSPECIFIED, ResourceProfile::plus);
  }

  double load(WorkerId worker) {
    List<Slot> indexed = indexed(worker);
    double used = indexed.stream().filter(slot -> slot.job != null).count();
    return Math.max(used / indexed.size(), totals.get(worker).share(reserved(worker)));
  }

  Optional<SlotManager.Usage> usage(WorkerId worker) {
    List<SlotInUse> inUse =
        of(worker).stream()
            .filter(slot -> slot.job != null)
            .map(slot -> new SlotInUse(slot.job, slot.allocation, slot.profile))
            .toList();
    List<Slot> indexed = indexed(worker);
    return indexed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new SlotManager.Usage(indexed.size(), freeSlots(worker), left(worker), inUse));
  }

  /** The number of indexed slots that can be allocated. */
  int freeSlots(WorkerId worker) {
    int unused = (int) indexed(worker).stream().filter(slot -> slot.job == null).count();
    return Math.min(unused, left(worker).holds(slotProfile(worker)));
  }

  /** The same after jobs have returned their surplus slots. */
  int freeSlotsAfterReturns(WorkerId worker) {
    List<Slot> kept =
        of(worker).stream().filter(slot -> slot.job == null || slot.serves != null).toList();
    int unused =
        indexed(worker).size()
            - (int) kept.stream().filter(slot -> !slot.carved && slot.job != null).count();
    ResourceProfile reserved =
        kept.stream()
            .filter(slot -> slot.state != State.FREE)
            .map(slot -> slot.profile)
            .reduce(ResourceProfile.UNSPECIFIED, ResourceProfile::plus);
    return Math.min(unused, totals.get(worker).minus(reserved).holds(slotProfile(worker)));
  }
}
