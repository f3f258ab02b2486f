package io.millrace.control.jobmaster;

import io.millrace.control.scheduler.RegionAdoption;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.KeptTasks;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The time at the start of a leader in which it waits for the tasks of its predecessor. Ends when
 * no further report changes the decision, or at its time-out. Lives in the mailbox of the
 * JobMaster.
 */
final class TaskAdoption {
  private final Mailbox mailbox;
  private final Consumer<RegionAdoption> decided;
  private Optional<RegionAdoption> awaited = Optional.empty();

  /**
   * @param decided gets the decision, once
   */
  TaskAdoption(Mailbox mailbox, Consumer<RegionAdoption> decided) {
    this.mailbox = mailbox;
    this.decided = decided;
  }

  void await(RegionAdoption tasks, Duration timeout) {
    awaited = Optional.of(tasks);
    mailbox.after(timeout, this::decide);
    decideIfPossible();
  }

  /** Whether tasks are awaited. */
  boolean isOpen() {
    return awaited.isPresent();
  }

  void reported(KeptTasks report) {
    awaited.ifPresent(tasks -> tasks.reported(report.worker(), report.tasks()));
    decideIfPossible();
  }

  void offered(OfferSlots offer) {
    awaited.ifPresent(
        tasks -> tasks.offered(offer.offers().stream().map(SlotOffer::allocation).toList()));
  }

  void workerLost(WorkerId worker) {
    awaited.ifPresent(tasks -> tasks.workerLost(worker));
  }

  private void decideIfPossible() {
    if (awaited.isPresent() && awaited.get().isDecided()) {
      decide();
    }
  }

  private void decide() {
    Optional<RegionAdoption> tasks = awaited;
    awaited = Optional.empty();
    tasks.ifPresent(decided);
  }
}
