package io.millrace.control.jobmaster;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.JobMasterGateway.ResourceManagerForgets;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The slots of a job: keeps its {@link SlotPool}, declares at the ResourceManager what the pool
 * requires, and returns idle slots. Confined to the mailbox of the JobMaster.
 */
final class SlotPoolService {
  private final SlotPool pool;
  private final IdleSlotTimeout idleSlots;
  private final JobMasterResourceManagerConnection resourceManager;
  private final JobJournal journal;

  /**
   * @param settings of the job and the cluster
   * @param release returns a slot to its worker
   */
  SlotPoolService(
      ClusterServices cluster,
      Mailbox mailbox,
      RegisterJobMaster self,
      Configuration settings,
      JobJournal journal,
      Consumer<AllocatedSlot> release) {
    this.pool = new SlotPool(settings.get(JobManagerOptions.SLOT_IDLE_TIMEOUT));
    this.idleSlots = new IdleSlotTimeout(cluster.rpc().env(), mailbox, pool, release);
    this.resourceManager =
        new JobMasterResourceManagerConnection(
            cluster,
            mailbox,
            self,
            pool,
            settings.get(JobManagerOptions.SLOT_REQUEST_TIMEOUT),
            journal);
    this.journal = journal;
  }

  SlotPool pool() {
    return pool;
  }

  /** Registers at the ResourceManager. */
  void start() {
    resourceManager.start();
  }

  /** The pool may have changed. */
  void poolChanged() {
    resourceManager.requirementsChanged();
    idleSlots.schedule();
  }

  boolean isConnectedTo(LeaderToken leader) {
    return resourceManager.isConnectedTo(leader);
  }

  void heard(LeaderToken leader) {
    resourceManager.heard(leader);
  }

  void dropped(ResourceManagerForgets notice) {
    if (isConnectedTo(notice.resourceManager())) {
      resourceManager.dropped(notice.reason());
    }
  }

  void requirementsPending(RequirementsPending notice) {
    if (isConnectedTo(notice.resourceManager())) {
      resourceManager.shortage(notice);
      notice.reason().ifPresent(journal::shortageReported);
    }
  }

  /** Asks why a lost worker has ended; empty if there is no ResourceManager to ask. */
  Optional<CompletableFuture<Optional<Reason>>> awaitWorkerEnd(WorkerId worker) {
    return resourceManager.awaitWorkerEnd(worker);
  }

  /** What a job of this status waits for. */
  Optional<Reason> waitingFor(JobStatus status) {
    boolean needsSlots = status == JobStatus.RUNNING || status == JobStatus.RESTARTING;
    return !needsSlots || pool.waiting() == 0
        ? Optional.empty()
        : Optional.of(resourceManager.waitingFor());
  }

  /** Ends the registration at the ResourceManager. */
  void leave(boolean jobEnded, Reason reason) {
    idleSlots.close();
    resourceManager.leave(jobEnded, reason);
  }
}
