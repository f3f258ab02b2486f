package io.millrace.rpc.leader;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds leaders. A plug point and a simulation seam. */
public interface LeaderRetrieval {
  /**
   * Tells who leads a component, now and at each change, in the given mailbox; nothing while nobody
   * does.
   */
  Subscription follow(String component, Mailbox mailbox, Consumer<Optional<Leader>> listener);
}
