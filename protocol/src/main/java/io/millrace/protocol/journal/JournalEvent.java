package io.millrace.protocol.journal;

import io.millrace.rpc.journal.JournalEntry;

/**
 * What a journal's entry is about: a decision of the control plane, with its numbers and its
 * reason. Each component has its group. Code matches on the type and reads the fields; {@link
 * io.millrace.protocol.text.JournalText} renders it for people.
 */
public sealed interface JournalEvent
    permits ClientEvent, DispatcherEvent, ResourceManagerEvent, JobMasterEvent, TaskExecutorEvent {
  /** How many slots, tasks or workers it is about; 0 where nothing is counted. */
  default int count() {
    return 0;
  }

  /** An entry of a journal that says so. */
  default JournalEntry entry() {
    return JournalEntry.of((Record) this);
  }

  /** The event of an entry. */
  static JournalEvent of(JournalEntry entry) {
    if (entry.event() instanceof JournalEvent event) {
      return event;
    }
    throw new IllegalArgumentException(entry.event().getClass() + " is no event of the journal");
  }
}
