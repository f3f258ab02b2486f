package io.millrace.rpc;

import java.util.Objects;
import java.util.Optional;

/** What transports carry. */
public sealed interface Envelope {

  /**
   * A message to an endpoint.
   *
   * @param correlation what the answer will carry; 0 where none is wanted
   * @param timeoutMillis how long the caller still waits; 0 where no answer is wanted
   * @param cause the journal event that led to this call, 0 for none
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
