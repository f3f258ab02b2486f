package io.millrace.core.security;

import io.millrace.core.Bytes;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A delegation token of a service, with which all processes of the cluster can use the service for
 * a limited time.
 *
 * @param content opaque except for the provider and the receiver of the service
 * @param validUntil the expiry; empty if the token does not expire
 */
public record DelegationToken(Bytes content, Optional<Instant> validUntil) {
  public DelegationToken {
    Objects.requireNonNull(content);
    Objects.requireNonNull(validUntil);
  }

  /** Hides the content, because it grants access in the name of the cluster. */
  @Override
  public String toString() {
    return "DelegationToken" + validUntil.map(until -> "[until " + until + "]").orElse("[lasting]");
  }
}
