package io.millrace.worker.taskexecutor;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.rpc.Mailbox;
import io.millrace.worker.slots.SlotTable;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The slot table with its clock, and with the ResourceManager told of what becomes free. */
final class TimedSlotTable {
  private final TaskExecutorContext worker;
  private final SlotTable table;
  private final Consumer<AllocationId> available;
  private final Consumer<Occupant> expired;
  private boolean waiting;

  /**
   * @param available told which allocation has ended
   * @param expired told who did not take a slot in time, and is to release it
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

  SlotReply allocate(Optional<Integer> index, Occupant by, ResourceProfile needed) {
    SlotReply reply =
        index.isPresent()
            ? table.allocate(index.get(), by, needed, now())
            : table.carve(by, needed, now());
    waitForNext();
    return reply;
  }

  void deactivate(JobId job) {
    table.deactivate(job, now());
    waitForNext();
  }

  void free(AllocationId allocation) {
    table.free(allocation);
    available.accept(allocation);
  }

  /** One timer is enough: all slots wait equally long, so none is due before the first. */
  private void waitForNext() {
    OptionalLong next = table.nextDeadline();
    if (!waiting && next.isPresent()) {
      waiting = true;
      Duration left = Duration.ofNanos(Math.max(0, next.getAsLong() - now()));
      Mailbox mailbox = worker.mailbox();
      mailbox.after(left, this::expire);
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
