package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.RestClientTls;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of the REST server of a cluster and the credentials for it.
 *
 * @param token the token that requests present, if the cluster requires one
 * @param tls the TLS settings, if connections are encrypted
 */
public record ClusterAddress(HostPort rest, Optional<String> token, Optional<RestClientTls> tls) {
  public ClusterAddress {
    Objects.requireNonNull(rest);
    Objects.requireNonNull(token);
    Objects.requireNonNull(tls);
  }

  /** An address without credentials and encryption. */
  public static ClusterAddress plain(HostPort rest) {
    return new ClusterAddress(rest, Optional.empty(), Optional.empty());
  }

  /** With the token and the TLS settings of a configuration. */
  public static ClusterAddress of(HostPort rest, Configuration configuration) {
    return new ClusterAddress(rest, RestToken.of(configuration), RestClientTls.of(configuration));
  }

  /** The URL for a browser. */
  public String url() {
    return (tls.isPresent() ? "https://" : "http://") + rest;
  }

  /**
   * @param timeout how long the client waits for an answer
   */
  public RestClusterClient connect(Duration timeout) {
    return new RestClusterClient(this, timeout);
  }

  /** Without the token, which is a secret. */
  @Override
  public String toString() {
    return rest.toString();
  }
}
