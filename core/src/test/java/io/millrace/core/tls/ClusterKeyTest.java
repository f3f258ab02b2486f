package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.security.KeyStore;
import java.security.Principal;
import java.security.SignatureException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterKeyTest {
  private static final String PASSWORD = "a password";

  @ParameterizedTest
  @ValueSource(strings = {"2026-11-16T12:00:00Z", "2045-01-01T00:00:00Z", "2060-06-30T23:59:59Z"})
  void signsItselfForTenYears(Instant now) throws Exception {
    X509Certificate certificate = certificate(ClusterKey.create(PASSWORD, now));
    certificate.verify(certificate.getPublicKey());
    certificate.checkValidity(Date.from(now));
    certificate.checkValidity(Date.from(now.plus(3600, ChronoUnit.DAYS)));
    assertThat(certificate.getVersion()).isEqualTo(3);
    assertThat(certificate.getSubjectX500Principal())
        .isEqualTo(certificate.getIssuerX500Principal())
        .extracting(Principal::getName)
        .isEqualTo("CN=Millrace cluster");
  }

  @Test
  void isAnotherOneForEveryCluster() throws Exception {
    X509Certificate one = certificate(ClusterKey.create(PASSWORD, Instant.now()));
    X509Certificate other = certificate(ClusterKey.create(PASSWORD, Instant.now()));
    assertThat(one.getSerialNumber()).isNotEqualTo(other.getSerialNumber());
    assertThatThrownBy(() -> one.verify(other.getPublicKey()))
        .isInstanceOf(SignatureException.class);
  }

  @Test
  void isTrustedByThoseWhoHaveItAndByNobodyElse() throws Exception {
    KeyStore store = store(ClusterKey.create(PASSWORD, Instant.now()));
    KeyStore others = store(ClusterKey.create(PASSWORD, Instant.now()));
    X509Certificate[] chain = {(X509Certificate) store.getCertificate("cluster")};
    trust(store).checkServerTrusted(chain, "ECDHE_ECDSA");
    trust(store).checkClientTrusted(chain, "ECDHE_ECDSA");
    assertThatThrownBy(() -> trust(others).checkServerTrusted(chain, "ECDHE_ECDSA"))
        .isInstanceOf(CertificateException.class);
  }

  private static X509TrustManager trust(KeyStore store) throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return (X509TrustManager) trust.getTrustManagers()[0];
  }

  private static X509Certificate certificate(byte[] file) throws Exception {
    return (X509Certificate) store(file).getCertificate("cluster");
  }

  private static KeyStore store(byte[] file) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(new ByteArrayInputStream(file), PASSWORD.toCharArray());
    return store;
  }
}
