package io.millrace.worker.taskexecutor;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.rpc.Mailbox;
import io.millrace.worker.slots.SlotTable;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The slot table with its timer. Reports free slots to the ResourceManager. */
final class TimedSlotTable {
  private final TaskExecutorContext worker;
  private final SlotTable table;
  private final Consumer<AllocationId> available;
  private final Consumer<Occupant> expired;
  private boolean waiting;

  /**
   * @param available called with the allocation that has ended
   * @param expired called with the occupant that did not accept its slot in time; releases the slot
   */
  TimedSlotTable(
      TaskExecutorContext worker,
      SlotTable table,
      Consumer<AllocationId> available,
      Consumer<Occupant> expired) {
    this.worker = worker;
    this.table = table;
    this.available = available;
    this.expired = expired;
  }

  SlotTable table() {
    return table;
  }

  SlotReply allocate(RequestSlot request) {
    Occupant occupant = new Occupant(request.allocation(), request.job());
    SlotReply reply =
        request
            .slot()
            .map(index -> table.allocate(index, occupant, request.profile(), now()))
            .orElseGet(() -> table.carve(occupant, request.profile(), now()));
    waitForNext();
    return reply;
  }

  void deactivate(JobId job) {
    table.deactivate(job, now());
    waitForNext();
  }

  /** The slots of a job that it has not accepted expire later: its leader decides about them. */
  void extend(JobId job) {
    table.extend(job, now());
    waitForNext();
  }

  void free(AllocationId allocation) {
    table.free(allocation);
    available.accept(allocation);
  }

  /** One timer is enough: all slots have the same time-out, so the first one expires first. */
  private void waitForNext() {
    OptionalLong next = table.nextDeadline();
    if (!waiting && next.isPresent()) {
      waiting = true;
      Duration remaining = Duration.ofNanos(Math.max(0, next.getAsLong() - now()));
      Mailbox mailbox = worker.mailbox();
      mailbox.after(remaining, this::expire);
    }
  }

  private void expire() {
    waiting = false;
    table.expired(now()).forEach(expired);
    waitForNext();
  }

  private long now() {
    return worker.rpc().env().nanos();
  }
}
