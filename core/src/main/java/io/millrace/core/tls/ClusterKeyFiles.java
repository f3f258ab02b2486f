package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.TlsOptions;
import java.util.Objects;

/**
 * The options of a process whose key was signed by a {@link ClusterCertificateAuthority}.
 *
 * @param store the file from {@link ClusterCertificateAuthority#issue}, which is key store and
 *     trust store
 */
public record ClusterKeyFiles(String store, String password) {
  /** The common name in certificates of JobManagers. TaskManagers have other names. */
  public static final String JOB_MANAGER = "jobmanager";

  public ClusterKeyFiles {
    Objects.requireNonNull(store);
    Objects.requireNonNull(password);
  }

  /** Encrypts the connections between processes. */
  public Configuration in(Configuration configuration) {
    return configuration
        .with(TlsOptions.INTERNAL_ENABLED, true)
        .with(TlsOptions.KEYSTORE, store)
        .with(TlsOptions.KEYSTORE_PASSWORD, password)
        .with(TlsOptions.TRUSTSTORE, store)
        .with(TlsOptions.TRUSTSTORE_PASSWORD, password)
        .with(
            TlsOptions.JOB_MANAGER_SUBJECT,
            ClusterCertificateAuthority.subject(JOB_MANAGER).getName())
        .with(TlsOptions.VERIFY_WORKER, true);
  }

  /**
   * Encrypts the connections of REST.
   *
   * @param trust the trust store of clients, from {@link ClusterCertificateAuthority#trustStore}
   */
  public Configuration withRest(Configuration configuration, String trust) {
    return configuration
        .with(RestTlsOptions.ENABLED, true)
        .with(RestTlsOptions.KEYSTORE, store)
        .with(RestTlsOptions.KEYSTORE_PASSWORD, password)
        .with(RestTlsOptions.TRUSTSTORE, trust)
        .with(RestTlsOptions.TRUSTSTORE_PASSWORD, password);
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return store;
  }
}
