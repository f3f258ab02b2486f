package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * What a process needs to talk to others of its cluster over TLS. Each side of a connection shows
 * its certificate; host names do not count, because workers come and go under names that nobody
 * knows beforehand.
 *
 * @param key who this process is
 * @param trust whom it takes for a process of its cluster
 * @param jobManagers whom it takes for a JobManager
 * @param protocol the version of TLS
 * @param ciphers those that may be used, empty for the JVM's own choice
 */
public record InternalTls(
    KeyManager key,
    TrustManager trust,
    TrustManager jobManagers,
    String protocol,
    List<String> ciphers) {
  /** What to tell people when one side has TLS and the other has not; part of a sentence. */
  public static final String DIFFERS =
      TlsOptions.INTERNAL_ENABLED.key() + " has to be the same in all processes of a cluster";

  private static final KeyStoreFile KEYS =
      new KeyStoreFile(
          TlsOptions.INTERNAL_ENABLED,
          TlsOptions.KEYSTORE,
          TlsOptions.KEYSTORE_PASSWORD,
          TlsOptions.KEYSTORE_TYPE);
  private static final KeyStoreFile PEERS =
      new KeyStoreFile(
          TlsOptions.INTERNAL_ENABLED,
          TlsOptions.TRUSTSTORE,
          TlsOptions.TRUSTSTORE_PASSWORD,
          TlsOptions.TRUSTSTORE_TYPE);

  public InternalTls {
    Objects.requireNonNull(key);
    Objects.requireNonNull(trust);
    Objects.requireNonNull(jobManagers);
    Objects.requireNonNull(protocol);
    ciphers = List.copyOf(ciphers);
  }

  /** What the configuration says; empty if it does not ask for TLS. */
  public static Optional<InternalTls> of(Configuration configuration) {
    return configuration.get(TlsOptions.INTERNAL_ENABLED)
        ? Optional.of(read(configuration))
        : Optional.empty();
  }

  private static InternalTls read(Configuration configuration) {
    TlsVersion version = TlsVersion.of(configuration);
    Optional<CertificateFingerprint> fingerprint =
        configuration.find(TlsOptions.FINGERPRINT).map(CertificateFingerprint::parse);
    Optional<X500Principal> subject =
        configuration.find(TlsOptions.JOB_MANAGER_SUBJECT).map(InternalTls::subject);
    X509TrustManager store = PEERS.trust(configuration);
    return new InternalTls(
        KEYS.key(configuration, TlsOptions.KEY_PASSWORD),
        new ClusterTrustManager(store, fingerprint, Optional.empty()),
        new ClusterTrustManager(store, fingerprint, subject),
        version.protocol(),
        version.ciphers());
  }

  private static X500Principal subject(String text) {
    try {
      return new X500Principal(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + text
              + "' is no subject of a certificate ("
              + TlsOptions.JOB_MANAGER_SUBJECT.key()
              + "): one looks like CN=jobmanager, as keytool -list -v shows it.",
          e);
    }
  }

  /** For connections in either direction. */
  public SSLContext context() {
    return TlsVersion.context(new KeyManager[] {key}, new TrustManager[] {trust});
  }

  /** For connections in either direction with a JobManager. */
  public SSLContext contextWithJobManagers() {
    return TlsVersion.context(new KeyManager[] {key}, new TrustManager[] {jobManagers});
  }

  /** Without the key. */
  @Override
  public String toString() {
    return protocol;
  }
}
