package io.millrace.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Where the REST server of a cluster is.
 *
 * @param token what it wants to be shown, if anything
 */
public record ClusterAddress(HostPort rest, Optional<String> token) {
  public ClusterAddress {
    Objects.requireNonNull(rest);
    Objects.requireNonNull(token);
  }

  /**
   * @param timeout how long the cluster may take to answer
   */
  public RestClusterClient connect(Duration timeout) {
    return new RestClusterClient(rest, timeout, token);
  }

  /** Never the token. */
  @Override
  public String toString() {
    return rest.toString();
  }
}
