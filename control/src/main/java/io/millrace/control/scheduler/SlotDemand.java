package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotAssignment;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Requests slots for regions, tracks which shared slot has which allocated slot, and which waiting
 * regions are complete.
 */
final class SlotDemand {
  private final ExecutionGraph graph;
  private final SlotPool pool;
  private final Set<Region> ready = new LinkedHashSet<>();

  SlotDemand(ExecutionGraph graph, SlotPool pool) {
    this.graph = graph;
    this.pool = pool;
  }

  /**
   * Requests the missing slots of a waiting region. Slots that it holds are kept, except those that
   * are larger than required: they are released, because another request of the region may need
   * them. A request gets such a slot if its own slot was lost while the larger one was idle.
   */
  void request(Region region, long nanos) {
    Set<SharedSlot> oversized = new LinkedHashSet<>();
    for (SharedSlot slot : region.slots) {
      if (slot.isOversized() && slot.isUnused()) {
        oversized.add(slot);
      }
    }
    for (SharedSlot slot : oversized) {
      unassigned(slot.id);
      release(slot, nanos);
    }
    ready.remove(region);
    region.missing = 0;
    for (SharedSlot slot : region.slots) {
      if (slot.slot.isEmpty()) {
        region.missing++;
      }
    }
    if (region.missing == 0) {
      ready.add(region);
    }
    region.slots.stream().filter(slot -> !oversized.contains(slot)).forEach(this::request);
    oversized.forEach(this::request);
  }

  private void request(SharedSlot slot) {
    if (!slot.requested) {
      slot.requested = true;
      pool.request(slot.id, slot.profile).ifPresent(this::assigned);
    }
  }

  /** Requests the slot that the tasks of a shared slot already run in. */
  void adopt(SharedSlot slot, AllocatedSlot allocated) {
    slot.requested = true;
    slot.slot = Optional.of(allocated);
    pool.adopt(slot.id, slot.profile, allocated);
  }

  /** Releases the slot unless it is already released. */
  void release(SharedSlot slot, long nanos) {
    if (!slot.requested) {
      return;
    }
    slot.requested = false;
    slot.slot = Optional.empty();
    pool.release(slot.id, nanos).forEach(this::assigned);
  }

  List<AllocationId> offer(WorkerId worker, List<SlotOffer> offers, long nanos) {
    SlotPool.Offered offered = pool.offer(worker, offers, nanos);
    offered.assignments().forEach(this::assigned);
    return offered.accepted();
  }

  void workerLost(WorkerId worker) {
    pool.workerLost(worker).forEach(this::unassigned);
    pool.serveWaiting().forEach(this::assigned);
  }

  /** Returns the shared slot that has lost its allocated slot. */
  Optional<SharedSlot> slotLost(WorkerId worker, AllocationId allocation) {
    Optional<Integer> request = pool.slotLost(worker, allocation);
    request.ifPresent(this::unassigned);
    pool.serveWaiting().forEach(this::assigned);
    return request.map(graph.slots::get);
  }

  void heartbeatRequested(long heartbeat) {
    pool.asked(heartbeat);
  }

  /**
   * Removes the slots that a worker should have reported and has not. Returns the shared slots that
   * have lost their allocated slots.
   */
  List<SharedSlot> reported(WorkerId worker, long heartbeat, List<AllocationId> reported) {
    List<AllocationId> lost = pool.heldBefore(worker, heartbeat);
    lost.removeAll(new HashSet<>(reported));
    List<SharedSlot> affected = new ArrayList<>();
    for (AllocationId allocation : lost) {
      Optional<Integer> request = pool.slotLost(worker, allocation);
      request.ifPresent(this::unassigned);
      request.map(graph.slots::get).ifPresent(affected::add);
    }
    if (!lost.isEmpty()) {
      pool.serveWaiting().forEach(this::assigned);
    }
    return affected;
  }

  /** Removes and returns the complete regions. */
  List<Region> takeReady() {
    List<Region> taken = new ArrayList<>(ready);
    ready.clear();
    return taken;
  }

  /** Cancels all open requests: the job starts no more tasks. */
  void cancelRequests(long nanos) {
    ready.clear();
    for (SharedSlot slot : graph.slots) {
      if (slot.requested && slot.slot.isEmpty()) {
        release(slot, nanos);
      }
    }
  }

  void removeReady(Region region) {
    ready.remove(region);
  }

  private void assigned(SlotAssignment assignment) {
    SharedSlot slot = graph.slots.get(assignment.request());
    slot.slot = Optional.of(assignment.slot());
    for (Region region : slot.regions) {
      if (region.phase == Region.Phase.WAITING && --region.missing == 0) {
        ready.add(region);
      }
    }
  }

  private void unassigned(int request) {
    SharedSlot slot = graph.slots.get(request);
    slot.slot = Optional.empty();
    for (Region region : slot.regions) {
      if (region.phase == Region.Phase.WAITING) {
        region.missing++;
        ready.remove(region);
      }
    }
  }
}
