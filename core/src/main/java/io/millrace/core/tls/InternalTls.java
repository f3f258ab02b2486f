package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * TLS settings of a process for connections inside its cluster. Both sides of a connection present
 * a certificate. Host names are not verified, because the hosts of workers are not known in
 * advance.
 *
 * @param key the key and certificate of this process
 * @param trust the trusted certificates
 * @param jobManagers the trusted certificates of JobManagers
 * @param protocol the version of TLS
 * @param ciphers the allowed cipher suites; empty for the defaults of the JVM
 * @param verifiedJobManager the subject of JobManagers, if all other processes are verified to be
 *     the TaskManagers that their certificates name
 */
public record InternalTls(
    KeyManager key,
    TrustManager trust,
    TrustManager jobManagers,
    String protocol,
    List<String> ciphers,
    Optional<X500Principal> verifiedJobManager) {
  /** The explanation if only one side uses TLS, for the user; part of a sentence. */
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
    Objects.requireNonNull(verifiedJobManager);
  }

  /** The configured settings; empty if TLS is disabled. */
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
        version.ciphers(),
        configuration.get(TlsOptions.VERIFY_WORKER)
            ? Optional.of(verified(subject))
            : Optional.empty());
  }

  private static X500Principal verified(Optional<X500Principal> jobManager) {
    return jobManager.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.USER,
                TlsOptions.VERIFY_WORKER.key()
                    + " needs "
                    + TlsOptions.JOB_MANAGER_SUBJECT.key()
                    + ", which is not set: without it TaskManagers and JobManagers cannot be told"
                    + " apart."));
  }

  /** Whether a peer is a TaskManager whose messages are verified. */
  public boolean isVerifiedWorker(Principal peer) {
    return verifiedJobManager.isPresent() && !verifiedJobManager.get().equals(peer);
  }

  /** Whether a certificate with this subject is that of a TaskManager with this id. */
  public static boolean names(Principal subject, String worker) {
    // The text, because principals are compared without the case of letters.
    return subject.getName().equals(ClusterCertificateAuthority.subject(worker).getName());
  }

  private static X500Principal subject(String text) {
    try {
      return new X500Principal(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + text
              + "' is not a certificate subject ("
              + TlsOptions.JOB_MANAGER_SUBJECT.key()
              + "): use the form CN=jobmanager, as printed by keytool -list -v.",
          e);
    }
  }

  /** For connections in both directions. */
  public SSLContext context() {
    return TlsVersion.context(new KeyManager[] {key}, new TrustManager[] {trust});
  }

  /** For connections in both directions, with JobManagers only. */
  public SSLContext contextWithJobManagers() {
    return TlsVersion.context(new KeyManager[] {key}, new TrustManager[] {jobManagers});
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return protocol;
  }
}
