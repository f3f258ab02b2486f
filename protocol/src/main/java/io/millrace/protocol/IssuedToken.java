package io.millrace.protocol;

import io.millrace.core.Bytes;
import java.util.Objects;

/**
 * A delegation token on its way to a process that takes it.
 *
 * @param service whose token it is
 */
public record IssuedToken(String service, Bytes content) {
  public IssuedToken {
    Objects.requireNonNull(service);
    Objects.requireNonNull(content);
  }

  /** Whoever has the content may act as this cluster, so that it shows nowhere. */
  @Override
  public String toString() {
    return "IssuedToken[" + service + "]";
  }
}
