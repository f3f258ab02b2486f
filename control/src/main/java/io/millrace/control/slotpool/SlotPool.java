package io.millrace.control.slotpool;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The slot requests and slots of a job. A request is open until it is released: it waits while it
 * has no slot, also after its slot was lost. The requirements of the job are its open requests. A
 * request with a larger slot than it needs is required with the profile of that slot. Otherwise the
 * ResourceManager would count the large slot for another request that needs it, and allocate a
 * small slot instead that fits no waiting request.
 *
 * <p>A plain object, confined to the mailbox of its JobMaster. The cost of an operation is
 * proportional to the number of slots it changes. Times are nanoseconds of {@code Env.nanos()}.
 */
public final class SlotPool {
  private final long idleNanos;
  private final Map<Integer, Request> requests = new HashMap<>();
  private final Map<ResourceProfile, Deque<Request>> waiting = new LinkedHashMap<>();
  private final Map<ResourceProfile, Integer> required = new LinkedHashMap<>();
  private final Map<AllocationId, HeldSlot> held = new HashMap<>();
  private final Map<WorkerId, Set<AllocationId>> byWorker = new LinkedHashMap<>();

  /** Slots without a request, longest idle first. */
  private final Map<AllocationId, HeldSlot> idle = new LinkedHashMap<>();

  private int waitingCount;
  private long changes;

  /** The number of the last query of the slots of all workers. */
  private long lastQuery;

  private static final class Request {
    private final int id;
    private final ResourceProfile profile;

    /** The profile of its requirement: its own, or that of the larger slot it has. */
    private ResourceProfile required;

    private Optional<HeldSlot> assigned = Optional.empty();
    private boolean released;

    Request(int id, ResourceProfile profile) {
      this.id = id;
      this.profile = profile;
      this.required = profile;
    }
  }

  private static final class HeldSlot {
    private final AllocatedSlot slot;

    /** The number of the last query before the slot was accepted. */
    private final long lastQuery;

    private Optional<Request> user = Optional.empty();
    private long idleSince;

    HeldSlot(AllocatedSlot slot, long lastQuery) {
      this.slot = slot;
      this.lastQuery = lastQuery;
    }
  }

  /**
   * @param accepted the accepted offers, in their order
   * @param assignments the accepted slots that were assigned to requests
   */
  public record Offered(List<AllocationId> accepted, List<SlotAssignment> assignments) {
    public Offered {
      accepted = OrderedCopies.list(accepted);
      assignments = OrderedCopies.list(assignments);
    }
  }

  /**
   * @param idleTimeout how long a slot without a request is kept
   */
  public SlotPool(Duration idleTimeout) {
    this.idleNanos = idleTimeout.toNanos();
  }

  /** Opens a request. Returns its slot if an idle slot fits. */
  public Optional<SlotAssignment> request(int id, ResourceProfile profile) {
    Request request = new Request(id, profile);
    if (requests.putIfAbsent(id, request) != null) {
      throw new IllegalStateException("Request " + id + " is already open");
    }
    require(profile);
    return serveFromIdle(request);
  }

  /** Closes a request. Its slot is assigned to a waiting request or becomes idle. */
  public List<SlotAssignment> release(int id, long nanos) {
    Request request = requests.remove(id);
    if (request == null) {
      throw new IllegalStateException("Request " + id + " is not open");
    }
    request.released = true;
    unrequire(request.required);
    if (request.assigned.isEmpty()) {
      waitingCount--; // poll() skips its entry in the queue
      return List.of();
    }
    HeldSlot slot = request.assigned.get();
    slot.user = Optional.empty();
    return serve(slot, nanos).map(List::of).orElse(List.of());
  }

  /** Opens a request for a slot that its tasks already run in. */
  public void adopt(int id, ResourceProfile profile, AllocatedSlot slot) {
    Request request = new Request(id, profile);
    if (requests.putIfAbsent(id, request) != null || held.containsKey(slot.allocation())) {
      throw new IllegalStateException("Request " + id + " or " + slot + " is already known");
    }
    require(profile);
    assign(hold(slot), request);
  }

  private HeldSlot hold(AllocatedSlot slot) {
    HeldSlot added = new HeldSlot(slot, lastQuery);
    held.put(slot.allocation(), added);
    byWorker.computeIfAbsent(slot.worker(), key -> new LinkedHashSet<>()).add(slot.allocation());
    return added;
  }

  /**
   * Accepts the offers of a TaskManager. An offer of a held slot is accepted again. An offer of an
   * allocation that another worker has is refused, since an allocation is on one worker only.
   */
  public Offered offer(WorkerId worker, List<SlotOffer> offers, long nanos) {
    List<AllocationId> accepted = new ArrayList<>();
    List<SlotAssignment> assignments = new ArrayList<>();
    for (SlotOffer offer : offers) {
      HeldSlot known = held.get(offer.allocation());
      if (known != null) {
        if (known.slot.worker().equals(worker)) {
          accepted.add(offer.allocation());
        }
        continue;
      }
      HeldSlot slot = hold(new AllocatedSlot(offer.allocation(), worker, offer.profile()));
      accepted.add(offer.allocation());
      serve(slot, nanos).ifPresent(assignments::add);
    }
    return new Offered(accepted, assignments);
  }

  /**
   * The workers are queried for their slots. Their answers need not contain slots that are accepted
   * after this.
   *
   * @param query a number that is higher than that of any earlier query
   */
  public void asked(long query) {
    lastQuery = query;
  }

  /** The slots that the answer of the worker to the query contains if the worker has them. */
  public List<AllocationId> heldBefore(WorkerId worker, long query) {
    List<AllocationId> before = new ArrayList<>();
    for (AllocationId allocation : of(worker)) {
      if (held.get(allocation).lastQuery < query) {
        before.add(allocation);
      }
    }
    return before;
  }

  /** Removes a slot. Its request waits again and is returned. */
  public Optional<Integer> slotLost(WorkerId worker, AllocationId allocation) {
    HeldSlot slot = held.get(allocation);
    if (slot == null || !slot.slot.worker().equals(worker)) {
      return Optional.empty();
    }
    return lose(slot);
  }

  /** Removes all slots of a worker. Their requests wait again and are returned. */
  public List<Integer> workerLost(WorkerId worker) {
    List<Integer> lost = new ArrayList<>();
    for (AllocationId allocation : of(worker)) {
      lose(held.get(allocation)).ifPresent(lost::add);
    }
    return lost;
  }

  /** Assigns idle slots to waiting requests; called after slots were lost. */
  public List<SlotAssignment> serveWaiting() {
    List<SlotAssignment> assignments = new ArrayList<>();
    if (waitingCount > 0) {
      for (HeldSlot slot : new ArrayList<>(idle.values())) {
        assignWaiting(slot).ifPresent(assignments::add);
      }
    }
    return assignments;
  }

  /** Removes and returns the slots whose idle timeout is over. The caller frees them. */
  public List<AllocatedSlot> expire(long nanos) {
    List<AllocatedSlot> expired = new ArrayList<>();
    Iterator<HeldSlot> oldest = idle.values().iterator();
    while (oldest.hasNext()) {
      HeldSlot slot = oldest.next();
      if (nanos - slot.idleSince < idleNanos) {
        break;
      }
      oldest.remove();
      remove(slot);
      expired.add(slot.slot);
    }
    return expired;
  }

  /** The time of the next idle timeout. */
  public OptionalLong nextExpiry() {
    Iterator<HeldSlot> oldest = idle.values().iterator();
    return oldest.hasNext()
        ? OptionalLong.of(oldest.next().idleSince + idleNanos)
        : OptionalLong.empty();
  }

  /** The number of required slots per profile. */
  public List<Requirement> requirements() {
    List<Requirement> all = new ArrayList<>();
    required.forEach((profile, count) -> all.add(new Requirement(profile, count)));
    return all;
  }

  /** Incremented at each change of the requirements. */
  public long changes() {
    return changes;
  }

  public int required() {
    return requests.size();
  }

  /** The number of requests without a slot. */
  public int waiting() {
    return waitingCount;
  }

  public int held() {
    return held.size();
  }

  public int idle() {
    return idle.size();
  }

  /** The slots of a worker, in the order of its offers. */
  public List<AllocationId> of(WorkerId worker) {
    return new ArrayList<>(byWorker.getOrDefault(worker, Collections.emptySet()));
  }

  /** The needs and slots of the job, for status pages. The cost is linear in all slots. */
  public JobSlots describe() {
    Map<ResourceProfile, Integer> needed = new LinkedHashMap<>();
    Map<ResourceProfile, Integer> missing = new LinkedHashMap<>();
    for (Request request : requests.values()) {
      needed.merge(request.profile, 1, Integer::sum);
      missing.merge(request.profile, request.assigned.isEmpty() ? 1 : 0, Integer::sum);
    }
    List<JobSlots.Need> needs = new ArrayList<>();
    needed.forEach(
        (profile, count) ->
            needs.add(new JobSlots.Need(profile.toString(), count, missing.get(profile))));
    List<JobSlots.Held> slots = new ArrayList<>();
    byWorker.forEach(
        (worker, allocations) -> slots.add(new JobSlots.Held(worker, allocations.size())));
    return new JobSlots(needs, slots);
  }

  private Optional<SlotAssignment> serveFromIdle(Request request) {
    HeldSlot found = null;
    for (HeldSlot slot : idle.values()) {
      boolean exact = slot.slot.profile().equals(request.profile);
      if (exact || (found == null && slot.slot.profile().fits(request.profile))) {
        found = slot;
        if (exact || request.profile.isUnspecified()) {
          break;
        }
      }
    }
    if (found == null) {
      enqueue(request);
      return Optional.empty();
    }
    idle.remove(found.slot.allocation());
    return Optional.of(assign(found, request));
  }

  private Optional<SlotAssignment> serve(HeldSlot slot, long nanos) {
    Optional<SlotAssignment> assignment = assignWaiting(slot);
    if (assignment.isEmpty()) {
      slot.idleSince = nanos;
      idle.put(slot.slot.allocation(), slot);
    }
    return assignment;
  }

  private Optional<SlotAssignment> assignWaiting(HeldSlot slot) {
    Optional<Request> next = poll(slot.slot.profile());
    for (ResourceProfile profile : waiting.keySet()) {
      if (next.isEmpty() && slot.slot.profile().fits(profile)) {
        next = poll(profile);
      }
    }
    return next.map(
        request -> {
          waitingCount--;
          idle.remove(slot.slot.allocation());
          return assign(slot, request);
        });
  }

  /** Removes and returns the next waiting request of exactly this profile. */
  private Optional<Request> poll(ResourceProfile profile) {
    Deque<Request> queue = waiting.get(profile);
    Request next = queue == null ? null : queue.poll();
    while (next != null && next.released) {
      next = queue.poll();
    }
    return Optional.ofNullable(next);
  }

  private SlotAssignment assign(HeldSlot slot, Request request) {
    slot.user = Optional.of(request);
    request.assigned = Optional.of(slot);
    if (!request.profile.isUnspecified()) {
      require(request, slot.slot.profile());
    }
    return new SlotAssignment(request.id, slot.slot);
  }

  private void require(Request request, ResourceProfile profile) {
    if (!request.required.equals(profile)) {
      unrequire(request.required);
      request.required = profile;
      require(profile);
    }
  }

  private void require(ResourceProfile profile) {
    required.merge(profile, 1, Integer::sum);
    changes++;
  }

  private void unrequire(ResourceProfile profile) {
    required.computeIfPresent(profile, (key, count) -> count == 1 ? null : count - 1);
    changes++;
  }

  private void enqueue(Request request) {
    waiting.computeIfAbsent(request.profile, key -> new ArrayDeque<>()).add(request);
    waitingCount++;
  }

  private Optional<Integer> lose(HeldSlot slot) {
    remove(slot);
    Optional<Request> user = slot.user;
    user.ifPresent(
        request -> {
          request.assigned = Optional.empty();
          require(request, request.profile);
          enqueue(request);
        });
    return user.map(request -> request.id);
  }

  private void remove(HeldSlot slot) {
    AllocationId allocation = slot.slot.allocation();
    held.remove(allocation);
    idle.remove(allocation);
    Set<AllocationId> ofWorker = byWorker.get(slot.slot.worker());
    ofWorker.remove(allocation);
    if (ofWorker.isEmpty()) {
      byWorker.remove(slot.slot.worker());
    }
  }
}
