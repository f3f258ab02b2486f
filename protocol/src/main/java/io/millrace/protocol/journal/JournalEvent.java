package io.millrace.protocol.journal;

import io.millrace.rpc.journal.JournalEntry;

/**
 * The event of a journal entry: a decision of the control plane, with its numbers and its reason.
 * Each component has its group. Code matches on the type and reads the fields; {@link
 * io.millrace.protocol.text.JournalText} renders it for people.
 */
public sealed interface JournalEvent
    permits ClientEvent, DispatcherEvent, ResourceManagerEvent, JobMasterEvent, TaskExecutorEvent {
  /** The number of slots, tasks or workers that the event is about; 0 if it counts nothing. */
  default int count() {
    return 0;
  }

  /** A journal entry with this event. */
  default JournalEntry entry() {
    return JournalEntry.of((Record) this);
  }

  /** The event of an entry. */
  static JournalEvent of(JournalEntry entry) {
    if (entry.event() instanceof JournalEvent event) {
      return event;
    }
    throw new IllegalArgumentException(
        entry.event().getClass() + " is not an event of the journal");
  }
}
