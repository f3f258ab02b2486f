package io.millrace.protocol;

import io.millrace.core.Bytes;
import java.util.Objects;

/**
 * A delegation token that is sent to a process.
 *
 * @param service the service that issued it
 */
public record IssuedToken(String service, Bytes content) {
  public IssuedToken {
    Objects.requireNonNull(service);
    Objects.requireNonNull(content);
  }

  /** Does not contain the content, which is a credential. */
  @Override
  public String toString() {
    return "IssuedToken[" + service + "]";
  }
}
