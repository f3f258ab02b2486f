package io.millrace.control.token;

import io.millrace.core.Bytes;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** The events that a {@link TokenPlan} decides on. */
public sealed interface TokenEvent {
  /**
   * @param life the remaining validity of the token; empty if it does not expire
   */
  record Obtained(String service, Bytes content, Optional<Duration> life) implements TokenEvent {
    public Obtained {
      Objects.requireNonNull(service);
      Objects.requireNonNull(content);
      if (life.isPresent() && (life.get().isNegative() || life.get().isZero())) {
        throw new IllegalArgumentException("The token of " + service + " has expired");
      }
    }
  }

  /** The service needs no token. No token is obtained from it again. */
  record NotNeeded(String service) implements TokenEvent {
    public NotNeeded {
      Objects.requireNonNull(service);
    }
  }

  record Failed(String service, Reason reason) implements TokenEvent {
    public Failed {
      Objects.requireNonNull(service);
      Objects.requireNonNull(reason);
    }
  }

  /** A worker has registered. The answer to its registration contains all current tokens. */
  record WorkerJoined(WorkerId worker, InstanceId instance) implements TokenEvent {
    public WorkerJoined {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  record WorkerLeft(WorkerId worker, InstanceId instance) implements TokenEvent {
    public WorkerLeft {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /** A worker has taken the tokens of a {@link TokenAction.Send}. */
  record Taken(WorkerId worker, InstanceId instance, long version) implements TokenEvent {
    public Taken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /** A worker has refused the tokens of a {@link TokenAction.Send} or has not answered. */
  record NotTaken(WorkerId worker, InstanceId instance, Reason reason) implements TokenEvent {
    public NotTaken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /** The time of {@link TokenPlan#nextWake} has come. */
  record Tick() implements TokenEvent {}
}
