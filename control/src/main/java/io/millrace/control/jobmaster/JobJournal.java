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
 * What a JobMaster writes into the journal. Steps that TaskManagers take are written down here when
 * they are heard of: so all times of a job's timeline are of one clock. Lives in the JobMaster's
 * mailbox.
 */
final class JobJournal {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final JobId job;
  private final Consumer<JournalEntry> record;
  private final LongSupplier nanos;
  private Optional<Reason> lastMissing = Optional.empty();

  /** When the job began to wait for slots it does not have; nothing while it has them all. */
  private boolean waiting;

  private long waitingSince;

  /** The number of the latest deployment. */
  private long deployment = -1;

  private long deployedAt;
  private int sharesOpen;
  private int tasksTaken;

  /** Whether a task of the latest deployment runs. */
  private boolean firstRuns;

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
    }
  }

  void declared(SlotPool pool, Duration patience) {
    note(new SlotsDeclared(pool.required(), pool.waiting(), patience));
  }

  /**
   * @param workers how many are registered now
   */
  void workerRegistered(WorkerId worker, int workers) {
    note(new JobMasterEvent.WorkerRegistered(workers), worker);
  }

  void slotsAccepted(OfferSlots offer, List<AllocationId> accepted, SlotPool pool) {
    note(new SlotsAccepted(accepted.size(), offer.offers().size(), pool.waiting()), offer.worker());
  }

  /** The ResourceManager's answer; it repeats itself where only other jobs' numbers changed. */
  void missing(Reason reason) {
    if (!lastMissing.equals(Optional.of(reason))) {
      lastMissing = Optional.of(reason);
      note(new ShortageReported(reason));
    }
  }

  /** To be told after every event, since any may take slots away or bring them. */
  void slots(SlotPool pool, int workers) {
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
    sharesOpen = deploy.shares().size();
    tasksTaken = 0;
    firstRuns = false;
    note(new TasksDeployed(deploy.tasks(), deploy.shares().size()));
  }

  /** A worker has taken its share of a deployment; the last one of the latest is written down. */
  void taken(SchedulerAction.Deploy deploy, SchedulerAction.Share share) {
    if (deploy.number() != deployment) {
      return; // other regions have been deployed since
    }
    sharesOpen--;
    tasksTaken += share.tasks().size();
    if (sharesOpen == 0) {
      record.accept(entry(new TasksTaken(tasksTaken)).taking(millisSince(deployedAt)));
    }
  }

  void updated(TaskUpdates updates) {
    if (deployment >= 0
        && !firstRuns
        && updates.updates().stream().anyMatch(update -> update.state() == TaskState.RUNNING)) {
      firstRuns = true;
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
