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
 * What a job asks for and what it holds. A request stands until it is released: while it has no
 * slot it waits, and when its slot is lost it waits again. What is required of the ResourceManager
 * are therefore simply the standing requests. One that was given a larger slot than it asked for
 * counts as one for that size: otherwise the ResourceManager would take the large slot for another
 * request that needs it, and send a small one in its place that fits nobody.
 *
 * <p>A plain object, confined to the mailbox of its JobMaster. Every operation costs in proportion
 * to the slots it is about. Times are nanoseconds of one growing clock.
 */
public final class SlotPool {
  private final long idleNanos;
  private final Map<Integer, Request> requests = new HashMap<>();
  private final Map<ResourceProfile, Deque<Request>> waiting = new LinkedHashMap<>();
  private final Map<ResourceProfile, Integer> required = new LinkedHashMap<>();
  private final Map<AllocationId, Held> held = new HashMap<>();
  private final Map<WorkerId, Set<AllocationId>> byWorker = new LinkedHashMap<>();

  /** Held slots that nobody uses, longest idle first. */
  private final Map<AllocationId, Held> idle = new LinkedHashMap<>();

  private int waitingCount;
  private long changes;

  /** The last question that workers were asked about their slots. */
  private long question;

  private static final class Request {
    private final int id;
    private final ResourceProfile profile;

    /** What is required for it: its profile, or that of the larger slot it has. */
    private ResourceProfile required;

    private Optional<Held> served = Optional.empty();
    private boolean released;

    Request(int id, ResourceProfile profile) {
      this.id = id;
      this.profile = profile;
      this.required = profile;
    }
  }

  private static final class Held {
    private final AllocatedSlot slot;

    /** The last question that was asked before the slot was accepted. */
    private final long question;

    private Optional<Request> user = Optional.empty();
    private long idleSince;

    Held(AllocatedSlot slot, long question) {
      this.slot = slot;
      this.question = question;
    }
  }

  /**
   * @param accepted the offers that the job takes, in their order
   * @param assignments the requests these slots were given to
   */
  public record Offered(List<AllocationId> accepted, List<SlotAssignment> assignments) {
    public Offered {
      accepted = OrderedCopies.list(accepted);
      assignments = OrderedCopies.list(assignments);
    }
  }

  /**
   * @param idleTimeout how long a slot is kept that nobody waits for
   */
  public SlotPool(Duration idleTimeout) {
    this.idleNanos = idleTimeout.toNanos();
  }

  /** Asks for a slot; answered at once where an idle one fits. */
  public Optional<SlotAssignment> request(int id, ResourceProfile profile) {
    Request request = new Request(id, profile);
    if (requests.putIfAbsent(id, request) != null) {
      throw new IllegalStateException("Request " + id + " stands already");
    }
    require(profile);
    return serveFromIdle(request);
  }

  /** Needs the slot no longer; it is kept for others for a while. */
  public List<SlotAssignment> release(int id, long nanos) {
    Request request = requests.remove(id);
    if (request == null) {
      throw new IllegalStateException("There is no request " + id);
    }
    request.released = true;
    requireNoMore(request.required);
    if (request.served.isEmpty()) {
      waitingCount--; // its place in the queue is passed over when its turn comes
      return List.of();
    }
    Held slot = request.served.get();
    slot.user = Optional.empty();
    return serve(slot, nanos).map(List::of).orElse(List.of());
  }

  /**
   * Takes what a TaskManager offers. A slot held already is accepted again; one that another worker
   * has given is refused, since an allocation is in one place only.
   */
  public Offered offer(WorkerId worker, List<SlotOffer> offers, long nanos) {
    List<AllocationId> accepted = new ArrayList<>();
    List<SlotAssignment> assignments = new ArrayList<>();
    for (SlotOffer offer : offers) {
      Held known = held.get(offer.allocation());
      if (known != null) {
        if (known.slot.worker().equals(worker)) {
          accepted.add(offer.allocation());
        }
        continue;
      }
      Held slot =
          new Held(new AllocatedSlot(offer.allocation(), worker, offer.profile()), question);
      held.put(offer.allocation(), slot);
      byWorker.computeIfAbsent(worker, x -> new LinkedHashSet<>()).add(offer.allocation());
      accepted.add(offer.allocation());
      serve(slot, nanos).ifPresent(assignments::add);
    }
    return new Offered(accepted, assignments);
  }

  /**
   * Workers are asked for their slots. Slots that are accepted later are not expected in the
   * answers.
   *
   * @param number higher than that of any earlier question
   */
  public void asked(long number) {
    question = number;
  }

  /** The slots of a worker that an answer to this question must name, if the worker has them. */
  public List<AllocationId> heldBefore(WorkerId worker, long number) {
    List<AllocationId> before = new ArrayList<>();
    for (AllocationId allocation : of(worker)) {
      if (held.get(allocation).question < number) {
        before.add(allocation);
      }
    }
    return before;
  }

  /** Forgets a slot. Its request, which is returned, waits again. */
  public Optional<Integer> slotLost(WorkerId worker, AllocationId allocation) {
    Held slot = held.get(allocation);
    if (slot == null || !slot.slot.worker().equals(worker)) {
      return Optional.empty();
    }
    return forget(slot);
  }

  /** Forgets all slots of a worker. Their requests, which are returned, wait again. */
  public List<Integer> workerLost(WorkerId worker) {
    List<Integer> lost = new ArrayList<>();
    for (AllocationId allocation : of(worker)) {
      forget(held.get(allocation)).ifPresent(lost::add);
    }
    return lost;
  }

  /** Gives waiting requests the idle slots that fit; called after slots were lost. */
  public List<SlotAssignment> serveWaiting() {
    List<SlotAssignment> assignments = new ArrayList<>();
    if (waitingCount > 0) {
      for (Held slot : new ArrayList<>(idle.values())) {
        takeWaiting(slot).ifPresent(assignments::add);
      }
    }
    return assignments;
  }

  /** Forgets the slots that were idle for too long and returns them, to be given back. */
  public List<AllocatedSlot> expire(long nanos) {
    List<AllocatedSlot> expired = new ArrayList<>();
    Iterator<Held> oldest = idle.values().iterator();
    while (oldest.hasNext()) {
      Held slot = oldest.next();
      if (nanos - slot.idleSince < idleNanos) {
        break;
      }
      oldest.remove();
      drop(slot);
      expired.add(slot.slot);
    }
    return expired;
  }

  /** When {@link #expire} has something to do. */
  public OptionalLong nextExpiry() {
    Iterator<Held> oldest = idle.values().iterator();
    return oldest.hasNext()
        ? OptionalLong.of(oldest.next().idleSince + idleNanos)
        : OptionalLong.empty();
  }

  /** What the job needs in all. */
  public List<Requirement> requirements() {
    List<Requirement> all = new ArrayList<>();
    required.forEach((profile, count) -> all.add(new Requirement(profile, count)));
    return all;
  }

  /** Grows whenever the requirements change. */
  public long changes() {
    return changes;
  }

  public int required() {
    return requests.size();
  }

  /** How many requests have no slot. */
  public int waiting() {
    return waitingCount;
  }

  public int held() {
    return held.size();
  }

  public int idle() {
    return idle.size();
  }

  /** The slots that a worker has given, in the order it gave them. */
  public List<AllocationId> of(WorkerId worker) {
    return new ArrayList<>(byWorker.getOrDefault(worker, Collections.emptySet()));
  }

  /** What the job needs and has, for people. Looks at every slot. */
  public JobSlots describe() {
    Map<ResourceProfile, Integer> wanted = new LinkedHashMap<>();
    Map<ResourceProfile, Integer> missing = new LinkedHashMap<>();
    for (Request request : requests.values()) {
      wanted.merge(request.profile, 1, Integer::sum);
      missing.merge(request.profile, request.served.isEmpty() ? 1 : 0, Integer::sum);
    }
    List<JobSlots.Need> needs = new ArrayList<>();
    wanted.forEach(
        (profile, count) ->
            needs.add(new JobSlots.Need(profile.toString(), count, missing.get(profile))));
    List<JobSlots.Held> slots = new ArrayList<>();
    byWorker.forEach(
        (worker, allocations) -> slots.add(new JobSlots.Held(worker, allocations.size())));
    return new JobSlots(needs, slots);
  }

  private Optional<SlotAssignment> serveFromIdle(Request request) {
    Held found = null;
    for (Held slot : idle.values()) {
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

  private Optional<SlotAssignment> serve(Held slot, long nanos) {
    Optional<SlotAssignment> assignment = takeWaiting(slot);
    if (assignment.isEmpty()) {
      slot.idleSince = nanos;
      idle.put(slot.slot.allocation(), slot);
    }
    return assignment;
  }

  private Optional<SlotAssignment> takeWaiting(Held slot) {
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

  /** The next request that waits for just this. */
  private Optional<Request> poll(ResourceProfile profile) {
    Deque<Request> queue = waiting.get(profile);
    Request next = queue == null ? null : queue.poll();
    while (next != null && next.released) {
      next = queue.poll();
    }
    return Optional.ofNullable(next);
  }

  private SlotAssignment assign(Held slot, Request request) {
    slot.user = Optional.of(request);
    request.served = Optional.of(slot);
    if (!request.profile.isUnspecified()) {
      require(request, slot.slot.profile());
    }
    return new SlotAssignment(request.id, slot.slot);
  }

  private void require(Request request, ResourceProfile profile) {
    if (!request.required.equals(profile)) {
      requireNoMore(request.required);
      request.required = profile;
      require(profile);
    }
  }

  private void require(ResourceProfile profile) {
    required.merge(profile, 1, Integer::sum);
    changes++;
  }

  private void requireNoMore(ResourceProfile profile) {
    required.computeIfPresent(profile, (key, count) -> count == 1 ? null : count - 1);
    changes++;
  }

  private void enqueue(Request request) {
    waiting.computeIfAbsent(request.profile, x -> new ArrayDeque<>()).add(request);
    waitingCount++;
  }

  private Optional<Integer> forget(Held slot) {
    drop(slot);
    Optional<Request> user = slot.user;
    user.ifPresent(
        request -> {
          request.served = Optional.empty();
          require(request, request.profile);
          enqueue(request);
        });
    return user.map(request -> request.id);
  }

  private void drop(Held slot) {
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
