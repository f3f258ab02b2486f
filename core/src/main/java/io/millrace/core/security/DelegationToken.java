package io.millrace.core.security;

import io.millrace.core.Bytes;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What a service gave a cluster so that all its processes may use the service for a while.
 *
 * @param content means something to the provider and the receiver of the service, to nobody else
 * @param validUntil when another one is needed; empty where this one lasts
 */
public record DelegationToken(Bytes content, Optional<Instant> validUntil) {
  public DelegationToken {
    Objects.requireNonNull(content);
    Objects.requireNonNull(validUntil);
  }

  /** Whoever has the content may act as this cluster, so that it shows nowhere. */
  @Override
  public String toString() {
    return "DelegationToken" + validUntil.map(until -> "[until " + until + "]").orElse("[lasting]");
  }
}
