package io.millrace.protocol.text;

import io.millrace.core.config.Durations;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointAbandoned;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.FirstTaskRunning;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.KeptTasksAwaited;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.RequirementsRefused;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.ShortageReported;
import io.millrace.protocol.journal.JobMasterEvent.SlotReturned;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsComplete;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TaskFailed;
import io.millrace.protocol.journal.JobMasterEvent.TasksAdopted;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.protocol.journal.JobMasterEvent.TasksTaken;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLossExplained;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;

/** The sentences of {@link JobMasterEvent}. */
final class JobMasterEventText {
  private JobMasterEventText() {}

  static String of(JobMasterEvent event) {
    if (event instanceof JobMasterStarted started) {
      return "The JobMaster is the leader in term " + started.term() + ".";
    } else if (event instanceof StateRestored restored) {
      return "Tasks start with the state of checkpoint "
          + restored.checkpoint()
          + " in "
          + restored.directory()
          + ".";
    } else if (event instanceof CheckpointFailed failed) {
      return "Checkpoint "
          + failed.checkpoint()
          + " did not complete. "
          + ReasonText.of(failed.reason());
    } else if (event instanceof CheckpointAbandoned abandoned) {
      return "Tasks go back to checkpoint "
          + abandoned.fallback()
          + ": records since then are processed again, and output committed since then is written"
          + " again. Checkpoint "
          + abandoned.checkpoint()
          + " in "
          + abandoned.directory()
          + " cannot be used: "
          + ReasonText.closed(abandoned.message())
          + " Its files stay until the job ends, and after that if checkpoints are retained.";
    } else if (event instanceof StatusChanged changed) {
      return ReasonText.of(changed.reason());
    } else if (event instanceof RegisteredAtResourceManager registered) {
      return "Registered at the ResourceManager " + registered.address() + ".";
    } else if (event instanceof ResourceManagerLost lost) {
      return ReasonText.of(lost.reason());
    } else if (event instanceof SlotsDeclared declared) {
      return declared(declared);
    } else if (event instanceof SlotsWanted wanted) {
      return wanted.missing()
          + " of "
          + Plural.of(wanted.required(), "slot")
          + " "
          + Plural.is(wanted.required())
          + " missing.";
    } else if (event instanceof ShortageReported shortage) {
      return ReasonText.of(shortage.reason());
    } else if (event instanceof RequirementsRefused refused) {
      return ReasonText.of(refused.reason());
    } else if (event instanceof WorkerRegistered registered) {
      return "A TaskManager with slots for the job has registered; "
          + registered.workers()
          + " "
          + Plural.is(registered.workers())
          + " registered now.";
    } else if (event instanceof SlotsAccepted accepted) {
      return accepted.accepted()
          + " of "
          + Plural.of(accepted.offered(), "offered slot")
          + " accepted; "
          + accepted.missing()
          + " still missing.";
    } else if (event instanceof SlotsComplete complete) {
      return "The job has all its "
          + Plural.of(complete.required(), "slot")
          + ", of "
          + Plural.of(complete.workers(), "TaskManager")
          + ".";
    } else if (event instanceof SlotReturned) {
      return "The job returns a slot that it does not need.";
    } else if (event instanceof TasksDeployed deployed) {
      return Plural.of(deployed.tasks(), "task")
          + " to "
          + Plural.of(deployed.workers(), "TaskManager")
          + ".";
    } else if (event instanceof KeptTasksAwaited awaited) {
      return "Waiting for "
          + Plural.of(awaited.tasks(), "task")
          + " of the JobMaster before, on "
          + Plural.of(awaited.workers(), "TaskManager")
          + ".";
    } else if (event instanceof TasksAdopted adopted) {
      return Plural.of(adopted.tasks(), "task")
          + " of the JobMaster before "
          + (adopted.tasks() == 1 ? "goes" : "go")
          + " on, and "
          + Plural.of(adopted.restarted(), "task")
          + " "
          + (adopted.restarted() == 1 ? "starts" : "start")
          + " again.";
    } else if (event instanceof TasksTaken taken) {
      return "TaskManagers have accepted " + Plural.of(taken.tasks(), "task") + ".";
    } else if (event instanceof FirstTaskRunning) {
      return "The first task runs.";
    } else if (event instanceof TasksRunning running) {
      return running.tasks() == 1 ? "The task runs." : "All " + running.tasks() + " tasks run.";
    } else if (event instanceof TaskFailed failed) {
      return ReasonText.of(failed.reason());
    } else if (event instanceof RestartScheduled restart) {
      return "Restart "
          + restart.attempt()
          + " of "
          + Plural.of(restart.regions(), "region")
          + " in "
          + restart.delay().toMillis()
          + " ms.";
    } else if (event instanceof CancelRequested cancel) {
      return cancel.clientLost() ? "The job ends with its client." : "The user cancels the job.";
    } else if (event instanceof WorkerLost lost) {
      return ReasonText.of(lost.reason());
    } else if (event instanceof WorkerLossExplained explained) {
      return ReasonText.of(explained.reason());
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }

  private static String declared(SlotsDeclared declared) {
    return Plural.of(declared.required(), "slot")
        + " required, "
        + declared.missing()
        + " of them missing"
        + (declared.missing() == 0
            ? "."
            : "; the job waits for "
                + Durations.readable(declared.timeout())
                + " without new ones ("
                + JobManagerOptions.SLOT_REQUEST_TIMEOUT.key()
                + ").");
  }
}
