package io.millrace.control.resourcemanager;

import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.rpc.Env;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.journal.JournalEntry;
import java.util.function.Consumer;

/**
 * The services that the parts of one ResourceManager share.
 *
 * @param apply applies an event to the SlotManager
 * @param journal records an event
 */
record ResourceManagerContext(
    Rpc rpc,
    Mailbox mailbox,
    LeaderToken token,
    Configuration configuration,
    Consumer<SlotEvent> apply,
    Consumer<JournalEntry> journal) {

  Env env() {
    return rpc.env();
  }

  void record(ResourceManagerEvent event) {
    journal.accept(event.entry());
  }

  void record(ResourceManagerEvent event, JobId job) {
    journal.accept(event.entry().forJob(job));
  }

  void record(ResourceManagerEvent event, WorkerId worker) {
    journal.accept(event.entry().onWorker(worker));
  }
}
