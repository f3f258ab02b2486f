package io.millrace.control.token;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.journal.ResourceManagerEvent;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The actions that a {@link TokenPlan} decides on. */
public sealed interface TokenAction {
  /** Obtain a new token of the service. The result is a {@link TokenEvent}. */
  record Obtain(String service) implements TokenAction {
    public Obtain {
      Objects.requireNonNull(service);
    }
  }

  /**
   * Send to a worker the tokens that it does not have.
   *
   * @param version the version that the worker has when it has taken them
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
   * Record an event in the journal and the log.
   *
   * @param warning whether it is logged as a warning
   */
  record RecordEvent(ResourceManagerEvent event, Optional<WorkerId> worker, boolean warning)
      implements TokenAction {
    public RecordEvent {
      Objects.requireNonNull(event);
      Objects.requireNonNull(worker);
    }
  }
}
