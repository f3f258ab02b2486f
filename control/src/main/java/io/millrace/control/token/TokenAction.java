package io.millrace.control.token;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.journal.ResourceManagerEvent;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What is to be done about tokens. */
public sealed interface TokenAction {
  /** Get another token of the service; {@link TokenEvent} says what came of it. */
  record Obtain(String service) implements TokenAction {
    public Obtain {
      Objects.requireNonNull(service);
    }
  }

  /**
   * Send a worker the tokens it does not have.
   *
   * @param version what it has once it has taken them
   */
  record Send(WorkerId worker, InstanceId instance, long version, List<IssuedToken> tokens)
      implements TokenAction {
    public Send {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      tokens = OrderedCopies.list(tokens);
    }
  }

  /**
   * Keep for people to read.
   *
   * @param trouble whether somebody should look at it
   */
  record Note(ResourceManagerEvent event, Optional<WorkerId> worker, boolean trouble)
      implements TokenAction {
    public Note {
      Objects.requireNonNull(event);
      Objects.requireNonNull(worker);
    }
  }
}
