package io.millrace.control.token;

import io.millrace.core.Bytes;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** What has happened to tokens and to those who need them. */
public sealed interface TokenEvent {
  /**
   * @param life how long the token is valid from now on; empty where it lasts
   */
  record Obtained(String service, Bytes content, Optional<Duration> life) implements TokenEvent {
    public Obtained {
      Objects.requireNonNull(service);
      Objects.requireNonNull(content);
      if (life.isPresent() && (life.get().isNegative() || life.get().isZero())) {
        throw new IllegalArgumentException("A token that is valid no more is not obtained");
      }
    }
  }

  /** The service asks for no token here, so that it is not asked again. */
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

  /** A worker is told all tokens with the answer to its registration. */
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

  /** A worker has taken what it was sent. */
  record Taken(WorkerId worker, InstanceId instance, long version) implements TokenEvent {
    public Taken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
    }
  }

  /** A worker has not taken what it was sent, or nobody knows. */
  record NotTaken(WorkerId worker, InstanceId instance, Reason reason) implements TokenEvent {
    public NotTaken {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /** Time has passed. */
  record Tick() implements TokenEvent {}
}
