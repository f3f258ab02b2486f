package io.millrace.control.jobmaster;

import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Durations;
import io.millrace.core.config.Options;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.Plural;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.journal.Event;
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
  private final Consumer<Event> record;
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

  JobJournal(JobId job, Consumer<Event> record, LongSupplier nanos) {
    this.job = job;
    this.record = record;
    this.nanos = nanos;
  }

  void note(String what, String detail) {
    record.accept(event(what, detail));
  }

  void note(String what, String detail, WorkerId worker) {
    record.accept(event(what, detail).onWorker(worker));
  }

  void declared(SlotPool pool, Duration patience) {
    record.accept(
        event(
                "slots declared",
                Plural.of(pool.required(), "slot")
                    + " required, "
                    + pool.waiting()
                    + " of them missing"
                    + (pool.waiting() == 0
                        ? ""
                        : "; the job waits for "
                            + Durations.readable(patience)
                            + " without new ones ("
                            + Options.SLOT_REQUEST_TIMEOUT.key()
                            + ")"))
            .counting(pool.required()));
  }

  /**
   * @param workers how many are registered now
   */
  void workerRegistered(WorkerId worker, int workers) {
    record.accept(
        event("worker registered", "Worker " + worker + " has slots for the job")
            .onWorker(worker)
            .counting(workers));
  }

  void slotsAccepted(OfferSlots offer, List<AllocationId> accepted, SlotPool pool) {
    record.accept(
        event(
                "slots accepted",
                accepted.size()
                    + " of "
                    + offer.offers().size()
                    + " offered slots of "
                    + offer.worker()
                    + " accepted; "
                    + pool.waiting()
                    + " still missing")
            .onWorker(offer.worker())
            .counting(accepted.size()));
  }

  /** The ResourceManager's answer; it repeats itself where only other jobs' numbers changed. */
  void missing(Reason reason) {
    if (!lastMissing.equals(Optional.of(reason))) {
      lastMissing = Optional.of(reason);
      note("slots missing", ReasonText.of(reason));
    }
  }

  /** To be told after every event, since any may take slots away or bring them. */
  void slots(SlotPool pool, int workers) {
    boolean missing = pool.waiting() > 0;
    if (missing && !waiting) {
      waitingSince = nanos.getAsLong();
      record.accept(
          event(
                  "slots wanted",
                  pool.waiting() + " of " + Plural.of(pool.required(), "slot") + " are missing")
              .counting(pool.waiting()));
    } else if (!missing && waiting && pool.required() > 0) {
      lastMissing = Optional.empty();
      record.accept(
          event(
                  "slots complete",
                  Plural.of(pool.required(), "slot")
                      + " of "
                      + Plural.of(workers, "TaskManager")
                      + " are the job's")
              .counting(pool.required())
              .taking(millisSince(waitingSince)));
    }
    waiting = missing;
  }

  void deploys(SchedulerAction.Deploy deploy) {
    deployment = deploy.number();
    deployedAt = nanos.getAsLong();
    sharesOpen = deploy.shares().size();
    tasksTaken = 0;
    firstRuns = false;
    record.accept(
        event(
                "tasks deployed",
                deploy.tasks() + " tasks to " + deploy.shares().size() + " TaskManagers")
            .counting(deploy.tasks()));
  }

  /** A worker has taken its share of a deployment; the last one of the latest is written down. */
  void taken(SchedulerAction.Deploy deploy, SchedulerAction.Share share) {
    if (deploy.number() != deployment) {
      return; // other regions have been deployed since
    }
    sharesOpen--;
    tasksTaken += share.tasks().size();
    if (sharesOpen == 0) {
      record.accept(
          event("tasks taken", "TaskManagers have taken " + Plural.of(tasksTaken, "task"))
              .counting(tasksTaken)
              .taking(millisSince(deployedAt)));
    }
  }

  void updated(TaskUpdates updates) {
    if (deployment >= 0
        && !firstRuns
        && updates.updates().stream().anyMatch(update -> update.state() == TaskState.RUNNING)) {
      firstRuns = true;
      record.accept(
          event("first task running", "A task of worker " + updates.worker() + " runs")
              .onWorker(updates.worker())
              .taking(millisSince(deployedAt)));
    }
  }

  void allRunning(int tasks) {
    record.accept(
        event("tasks running", "All " + tasks + " tasks run")
            .counting(tasks)
            .taking(millisSince(deployedAt)));
  }

  void restarts(SchedulerAction.Restart restart) {
    note("failure", ReasonText.of(restart.reason()));
    record.accept(
        event(
                "restart",
                "Restart "
                    + restart.attempt()
                    + " of "
                    + Plural.of(restart.regions().size(), "region")
                    + " in "
                    + restart.delay().toMillis()
                    + " ms")
            .counting(restart.attempt()));
  }

  private long millisSince(long then) {
    return Math.max(0, (nanos.getAsLong() - then) / NANOS_PER_MILLI);
  }

  private Event event(String what, String detail) {
    return Event.of("jobmaster", what, detail).forJob(job);
  }
}
