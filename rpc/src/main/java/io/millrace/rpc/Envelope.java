package io.millrace.rpc;

import java.util.Objects;
import java.util.Optional;

/** The unit that a {@link Transport} carries. */
public sealed interface Envelope {

  /**
   * A message to an endpoint.
   *
   * @param correlation the id that the reply carries; 0 for a one-way message
   * @param timeoutMillis the remaining time-out of the caller; 0 for a one-way message
   * @param cause the journal event that led to this call; 0 for none
   */
  record Call(
      String endpoint,
      Optional<LeaderToken> token,
      long correlation,
      long timeoutMillis,
      long cause,
      Record message)
      implements Envelope {
    public Call {
      Objects.requireNonNull(endpoint);
      Objects.requireNonNull(token);
      Objects.requireNonNull(message);
    }
  }

  record Reply(long correlation, Record message) implements Envelope {
    public Reply {
      Objects.requireNonNull(message);
    }
  }

  record Failed(long correlation, RpcError error) implements Envelope {
    public Failed {
      Objects.requireNonNull(error);
    }
  }
}
