package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.RestClientTls;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Where the REST server of a cluster is, and how to talk to it.
 *
 * @param token what it wants to be shown, if anything
 * @param tls how connections are encrypted, if they are
 */
public record ClusterAddress(HostPort rest, Optional<String> token, Optional<RestClientTls> tls) {
  public ClusterAddress {
    Objects.requireNonNull(rest);
    Objects.requireNonNull(token);
    Objects.requireNonNull(tls);
  }

  /** One that is not encrypted. */
  public ClusterAddress(HostPort rest, Optional<String> token) {
    this(rest, token, Optional.empty());
  }

  /** With the token and the keys that a configuration names. */
  public static ClusterAddress of(HostPort rest, Configuration configuration) {
    return new ClusterAddress(rest, RestToken.of(configuration), RestClientTls.of(configuration));
  }

  /** As a browser takes it. */
  public String url() {
    return (tls.isPresent() ? "https://" : "http://") + rest;
  }

  /**
   * @param timeout how long the cluster may take to answer
   */
  public RestClusterClient connect(Duration timeout) {
    return new RestClusterClient(this, timeout);
  }

  /** Never the token. */
  @Override
  public String toString() {
    return rest.toString();
  }
}
