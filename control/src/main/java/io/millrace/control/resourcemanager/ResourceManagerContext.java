package io.millrace.control.resourcemanager;

import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.journal.Event;
import java.util.function.Consumer;

/**
 * What the parts of one term share.
 *
 * @param apply lets the SlotManager decide about an event
 * @param journal keeps a decision
 */
record ResourceManagerContext(
    Rpc rpc,
    Mailbox mailbox,
    LeaderToken token,
    Configuration configuration,
    Consumer<SlotEvent> apply,
    Consumer<Event> journal) {

  Env env() {
    return rpc.env();
  }

  static Event event(String what, String detail) {
    return Event.of("resourcemanager", what, detail);
  }
}
