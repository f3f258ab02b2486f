package io.millrace.protocol.text;

import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.protocol.journal.TaskExecutorEvent.KeptTasksAdopted;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredAtJobMaster;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredWithSlots;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.SlotOffersAnswered;
import io.millrace.protocol.journal.TaskExecutorEvent.TasksKept;
import io.millrace.protocol.journal.TaskExecutorEvent.TasksReceived;

/** The sentences of {@link TaskExecutorEvent}. */
final class TaskExecutorEventText {
  private TaskExecutorEventText() {}

  static String of(TaskExecutorEvent event) {
    if (event instanceof RegisteredWithSlots registered) {
      return "Registered at the ResourceManager at "
          + registered.address()
          + " and reported "
          + Plural.of(registered.slots(), "slot")
          + ".";
    } else if (event instanceof ResourceManagerDisconnected lost) {
      return "The ResourceManager was lost: " + ReasonText.of(lost.reason());
    } else if (event instanceof RegisteredAtJobMaster registered) {
      return "Registered at the JobMaster at " + registered.address() + ".";
    } else if (event instanceof JobMasterDisconnected lost) {
      return "The JobMaster was lost: " + ReasonText.of(lost.reason());
    } else if (event instanceof SlotOffersAnswered answered) {
      return answered.accepted()
          + " of "
          + Plural.of(answered.offered(), "offered slot")
          + " "
          + Plural.was(answered.offered())
          + " accepted.";
    } else if (event instanceof TasksReceived received) {
      return Plural.of(received.tasks(), "task")
          + " "
          + Plural.was(received.tasks())
          + " deployed.";
    } else if (event instanceof TasksKept kept) {
      return Plural.of(kept.tasks(), "task")
          + " "
          + (kept.tasks() == 1 ? "goes" : "go")
          + " on without a JobMaster, until "
          + (kept.tasks() == 1 ? "its slot expires." : "their slots expire.");
    } else if (event instanceof KeptTasksAdopted adopted) {
      return "The JobMaster has adopted "
          + Plural.of(adopted.tasks(), "task")
          + "; "
          + adopted.cancelled()
          + " "
          + Plural.was(adopted.cancelled())
          + " cancelled.";
    } else if (event instanceof JobRemoved removed) {
      return "The job was removed from this worker: " + ReasonText.of(removed.reason());
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }
}
