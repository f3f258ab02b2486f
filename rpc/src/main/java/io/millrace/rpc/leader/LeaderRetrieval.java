package io.millrace.rpc.leader;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds leaders. Plug point and simulation seam. */
public interface LeaderRetrieval {
  /**
   * Calls the listener with the leader of a component, now and at each change, in the given
   * mailbox; empty while there is no leader.
   */
  Subscription follow(String component, Mailbox mailbox, Consumer<Optional<Leader>> listener);
}
