package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointProgress;
import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointAbandoned;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.FirstTaskRunning;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.ShortageReported;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsComplete;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.TaskFailed;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.protocol.journal.JobMasterEvent.TasksTaken;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The journal entries of a JobMaster. Steps of TaskManagers are recorded when their reports arrive,
 * so that all times of a timeline are of one clock. Confined to the mailbox of the JobMaster.
 */
final class JobJournal {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final JobId job;
  private final Consumer<JournalEntry> record;
  private final LongSupplier nanos;
  private Optional<Reason> lastMissing = Optional.empty();

  /** When the job began to wait for slots; valid only while slots are missing. */
  private boolean waiting;

  private long waitingSince;

  /** The number of the latest deployment. */
  private long deployment = -1;

  private long deployedAt;
  private int pendingShares;
  private int tasksAccepted;

  /** Whether a task of the latest deployment runs. */
  private boolean firstTaskRuns;

  JobJournal(JobId job, Consumer<JournalEntry> record, LongSupplier nanos) {
    this.job = job;
    this.record = record;
    this.nanos = nanos;
  }

  void note(JobMasterEvent event) {
    record.accept(entry(event));
  }

  void note(JobMasterEvent event, WorkerId worker) {
    record.accept(entry(event).onWorker(worker));
  }

  /** Completed checkpoints are in the statistics; here they would displace everything else. */
  void checkpoint(CheckpointProgress progress) {
    if (progress instanceof CheckpointProgress.Aborted aborted) {
      note(new CheckpointFailed(aborted.checkpoint(), aborted.reason()));
    } else if (progress instanceof CheckpointProgress.Abandoned abandoned) {
      note(
          new CheckpointAbandoned(
              abandoned.checkpoint(),
              abandoned.abandoned().directory(),
              abandoned.fallback(),
              abandoned.message()));
    }
  }

  void declared(SlotPool pool, Duration patience) {
    note(new SlotsDeclared(pool.required(), pool.waiting(), patience));
  }

  /**
   * @param workers the number of registered workers
   */
  void workerRegistered(WorkerId worker, int workers) {
    note(new JobMasterEvent.WorkerRegistered(workers), worker);
  }

  void slotsAccepted(OfferSlots offer, List<AllocationId> accepted, SlotPool pool) {
    note(new SlotsAccepted(accepted.size(), offer.offers().size(), pool.waiting()), offer.worker());
  }

  /** The reason of the ResourceManager for missing slots. Repeated reasons are not recorded. */
  void shortageReported(Reason reason) {
    if (!lastMissing.equals(Optional.of(reason))) {
      lastMissing = Optional.of(reason);
      note(new ShortageReported(reason));
    }
  }

  /** Called after each event, because any event may change the number of missing slots. */
  void updateWaiting(SlotPool pool, int workers) {
    boolean missing = pool.waiting() > 0;
    if (missing && !waiting) {
      waitingSince = nanos.getAsLong();
      note(new SlotsWanted(pool.waiting(), pool.required()));
    } else if (!missing && waiting && pool.required() > 0) {
      lastMissing = Optional.empty();
      record.accept(
          entry(new SlotsComplete(pool.required(), workers)).taking(millisSince(waitingSince)));
    }
    waiting = missing;
  }

  void deploys(SchedulerAction.Deploy deploy) {
    deployment = deploy.number();
    deployedAt = nanos.getAsLong();
    pendingShares = deploy.shares().size();
    tasksAccepted = 0;
    firstTaskRuns = false;
    note(new TasksDeployed(deploy.tasks(), deploy.shares().size()));
  }

  /**
   * A worker has accepted its share of a deployment. Records when the last share of the latest
   * deployment is accepted.
   */
  void shareAccepted(SchedulerAction.Deploy deploy, SchedulerAction.Share share) {
    if (deploy.number() != deployment) {
      return; // other regions have been deployed since
    }
    pendingShares--;
    tasksAccepted += share.tasks().size();
    if (pendingShares == 0) {
      record.accept(entry(new TasksTaken(tasksAccepted)).taking(millisSince(deployedAt)));
    }
  }

  void updated(TaskUpdates updates) {
    if (deployment >= 0
        && !firstTaskRuns
        && updates.updates().stream().anyMatch(update -> update.state() == TaskState.RUNNING)) {
      firstTaskRuns = true;
      record.accept(
          entry(new FirstTaskRunning()).onWorker(updates.worker()).taking(millisSince(deployedAt)));
    }
  }

  void allRunning(int tasks) {
    record.accept(entry(new TasksRunning(tasks)).taking(millisSince(deployedAt)));
  }

  void restarts(SchedulerAction.Restart restart) {
    note(new TaskFailed(restart.reason()));
    note(new RestartScheduled(restart.attempt(), restart.regions().size(), restart.delay()));
  }

  private long millisSince(long then) {
    return Math.max(0, (nanos.getAsLong() - then) / NANOS_PER_MILLI);
  }

  private JournalEntry entry(JobMasterEvent event) {
    return event.entry().forJob(job);
  }
}
