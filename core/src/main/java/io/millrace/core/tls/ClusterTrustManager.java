package io.millrace.core.tls;

import io.millrace.core.config.TlsOptions;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * Trusts certificates of the cluster, whatever the host name. It extends X509ExtendedTrustManager
 * because the JVM adds the check of host names to trust managers that do not.
 */
final class ClusterTrustManager extends X509ExtendedTrustManager {
  private interface Check {
    void run() throws CertificateException;
  }

  private final X509TrustManager store;
  private final Optional<CertificateFingerprint> fingerprint;
  private final Optional<X500Principal> subject;

  /**
   * @param store the trust store
   * @param fingerprint of the only accepted certificate
   * @param subject of the only accepted certificates
   */
  ClusterTrustManager(
      X509TrustManager store,
      Optional<CertificateFingerprint> fingerprint,
      Optional<X500Principal> subject) {
    this.store = store;
    this.fingerprint = fingerprint;
    this.subject = subject;
  }

  private void check(X509Certificate[] chain, Check inStore) throws CertificateException {
    String shown = chain.length == 0 ? "none" : String.valueOf(chain[0].getSubjectX500Principal());
    try {
      inStore.run();
    } catch (CertificateException e) {
      // Without the cause, whose message repeats this.
      throw new CertificateException(
          "the certificate of the other process ("
              + shown
              + ") is not trusted by "
              + TlsOptions.TRUSTSTORE.key()
              + " of this process ("
              + e.getMessage()
              + ")");
    }
    if (fingerprint.isPresent() && !matches(chain[0], fingerprint.get())) {
      throw new CertificateException(
          "the certificate of the other process ("
              + shown
              + ") is not the one with "
              + TlsOptions.FINGERPRINT.key());
    }
    if (subject.isPresent() && !subject.get().equals(chain[0].getSubjectX500Principal())) {
      throw new CertificateException(
          "the certificate of the other process ("
              + shown
              + ") is not a JobManager's; those have the subject "
              + subject.get()
              + " ("
              + TlsOptions.JOB_MANAGER_SUBJECT.key()
              + ")");
    }
  }

  private static boolean matches(X509Certificate certificate, CertificateFingerprint wanted)
      throws CertificateException {
    try {
      return wanted.fits(certificate);
    } catch (GeneralSecurityException e) {
      throw new CertificateException(e);
    }
  }

  private void server(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, () -> store.checkServerTrusted(chain, type));
  }

  private void client(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, () -> store.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    server(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    server(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    server(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    client(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    client(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    client(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return store.getAcceptedIssuers();
  }
}
