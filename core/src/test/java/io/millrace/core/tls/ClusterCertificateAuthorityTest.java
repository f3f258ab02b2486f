package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterCertificateAuthorityTest {
  private static final String PASSWORD = "a password";
  private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");

  private final ClusterCertificateAuthority authority =
      ClusterCertificateAuthority.create("a cluster", NOW);

  @ParameterizedTest
  @ValueSource(strings = {"2026-11-16T12:00:00Z", "2045-01-01T00:00:00Z", "2060-06-30T23:59:59Z"})
  void signsProcessesThatAreValidForTenYears(Instant now) throws Exception {
    KeyStore store =
        store(ClusterCertificateAuthority.create("a cluster", now).issue("worker", PASSWORD, now));
    validate(store, now, store);
    validate(store, now.plus(3600, ChronoUnit.DAYS), store);
    assertThatThrownBy(() -> validate(store, now.plus(3700, ChronoUnit.DAYS), store))
        .isInstanceOf(CertPathValidatorException.class);
  }

  @Test
  void certificatesContainSubjectIssuerAndKeyUsage() throws Exception {
    Certificate[] chain = chain(store(authority.issue("container_1", PASSWORD, NOW)));
    X509Certificate process = (X509Certificate) chain[0];
    X509Certificate signer = (X509Certificate) chain[1];
    assertThat(process.getVersion()).isEqualTo(3);
    assertThat(process.getSubjectX500Principal().getName()).isEqualTo("CN=container_1");
    assertThat(process.getIssuerX500Principal()).isEqualTo(signer.getSubjectX500Principal());
    assertThat(process.getBasicConstraints()).isEqualTo(-1);
    assertThat(process.getKeyUsage()).startsWith(true, false, false, false, false, false);
    // As a server, and as a client.
    assertThat(process.getExtendedKeyUsage())
        .containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    assertThat(signer.getSubjectX500Principal().getName()).isEqualTo("CN=a cluster");
    assertThat(signer.getBasicConstraints()).isZero();
    assertThat(signer.getKeyUsage()).startsWith(false, false, false, false, false, true);
    assertThat(process.getCriticalExtensionOIDs())
        .isEqualTo(signer.getCriticalExtensionOIDs())
        .containsExactlyInAnyOrder("2.5.29.15", "2.5.29.19");
  }

  @Test
  void processesTrustEachOtherOnEitherSideOfAConnection() throws Exception {
    X509Certificate[] chain = x509(store(authority.issue("one", PASSWORD, Instant.now())));
    X509TrustManager other = trust(store(authority.issue("other", PASSWORD, Instant.now())));
    assertThatCode(
            () -> {
              other.checkServerTrusted(chain, "ECDHE_ECDSA");
              other.checkClientTrusted(chain, "ECDHE_ECDSA");
            })
        .doesNotThrowAnyException();
  }

  @Test
  @Behaviour(
      "I4: a process with a key of another authority is refused, and the certificate of a process"
          + " signs nothing")
  void doesNotTrustCertificatesOfAnotherAuthority() throws Exception {
    KeyStore ours = store(authority.issue("jobmanager", PASSWORD, NOW));
    ClusterCertificateAuthority namesake = ClusterCertificateAuthority.create("a cluster", NOW);
    KeyStore theirs = store(namesake.issue("jobmanager", PASSWORD, NOW));
    assertThatThrownBy(() -> validate(theirs, NOW, ours))
        .isInstanceOf(CertPathValidatorException.class);
    X509Certificate[] chain = x509(theirs);
    X509TrustManager trust = trust(ours);
    assertThatThrownBy(() -> trust.checkServerTrusted(chain, "ECDHE_ECDSA"))
        .isInstanceOf(CertificateException.class);
  }

  @Test
  @Behaviour(
      "I4: a process with a key of another authority is refused, and the certificate of a process"
          + " signs nothing")
  void doesNotTrustCertificatesSignedByAProcess() throws Exception {
    KeyStore worker = store(authority.issue("worker", PASSWORD, NOW));
    PrivateKey key = (PrivateKey) worker.getKey("process", PASSWORD.toCharArray());
    X509Certificate certificate = x509(worker)[0];
    X509Certificate forged =
        new CertificateTemplate(
                certificate.getSubjectX500Principal(),
                ClusterCertificateAuthority.subject("jobmanager"),
                KeyPairGenerator.getInstance("EC").generateKeyPair().getPublic(),
                NOW,
                NOW.plus(1, ChronoUnit.DAYS),
                CertificateTemplate.ofProcess(certificate.getPublicKey()))
            .signed(key);
    List<Certificate> chain = List.of(forged, certificate);
    assertThatThrownBy(() -> validate(chain, NOW, worker))
        .isInstanceOf(CertPathValidatorException.class)
        .hasMessageContaining("keyCertSign");
  }

  @Test
  void fileOfAProcessDoesNotContainTheAuthoritysKey() throws Exception {
    KeyStore worker = store(authority.issue("worker", PASSWORD, NOW));
    assertThat(Collections.list(worker.aliases()))
        .containsExactlyInAnyOrder("process", "authority");
    assertThat(worker.isKeyEntry("authority")).isFalse();
    PrivateKey own = (PrivateKey) worker.getKey("process", PASSWORD.toCharArray());
    assertThat(own.getEncoded())
        .isNotEqualTo(
            store(authority.file(PASSWORD))
                .getKey("authority", PASSWORD.toCharArray())
                .getEncoded());
  }

  @Test
  void eachProcessHasItsOwnKey() throws Exception {
    X509Certificate one = x509(store(authority.issue("worker", PASSWORD, NOW)))[0];
    X509Certificate other = x509(store(authority.issue("worker", PASSWORD, NOW)))[0];
    assertThat(one.getPublicKey()).isNotEqualTo(other.getPublicKey());
    assertThat(one.getSerialNumber()).isNotEqualTo(other.getSerialNumber());
  }

  @Test
  void certificateNamesTheHostsOfTheServer() throws Exception {
    X509Certificate server =
        x509(
            store(
                authority.issue(
                    new ProcessCertificate(
                        "jobmanager",
                        List.of("one.example.org", "192.0.2.7", "fd00::2"),
                        NOW.plus(1, ChronoUnit.DAYS)),
                    PASSWORD,
                    NOW)))[0];
    assertThat(server.getSubjectAlternativeNames())
        .containsExactly(
            List.of(2, "one.example.org"),
            List.of(7, "192.0.2.7"),
            List.of(7, "fd00:0:0:0:0:0:0:2"));
  }

  @Test
  @Behaviour("I4: the key of a bundle is accepted until the bundle expires")
  void keyExpiresWhenAsked() throws Exception {
    KeyStore worker =
        store(
            authority.issue(
                new ProcessCertificate("worker", List.of(), NOW.plus(1, ChronoUnit.HOURS)),
                PASSWORD,
                NOW));
    validate(worker, NOW.plus(59, ChronoUnit.MINUTES), worker);
    assertThatThrownBy(() -> validate(worker, NOW.plus(61, ChronoUnit.MINUTES), worker))
        .isInstanceOf(CertPathValidatorException.class)
        .hasMessageContaining("validity");
  }

  @Test
  void clientsTrustTheAuthorityWithoutAKey() throws Exception {
    KeyStore client = store(authority.trustStore(PASSWORD));
    assertThat(Collections.list(client.aliases())).containsExactly("authority");
    assertThat(client.isKeyEntry("authority")).isFalse();
    validate(store(authority.issue("jobmanager", PASSWORD, NOW)), NOW, client);
  }

  @Test
  void certificateIsWrittenAsText() throws Exception {
    X509Certificate read =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(
                    new ByteArrayInputStream(authority.pem().getBytes(StandardCharsets.US_ASCII)));
    assertThat(read).isEqualTo(store(authority.trustStore(PASSWORD)).getCertificate("authority"));
    assertThat(authority.pem().lines()).allMatch(line -> line.length() <= 64);
    assertThat(new CertificateFingerprint("SHA-256", plain(authority.fingerprint())).fits(read))
        .isTrue();
  }

  private static String plain(String fingerprint) {
    return fingerprint.replace(":", "").toLowerCase(Locale.ROOT);
  }

  @Test
  void fileOfTheAuthorityRoundTrips() throws Exception {
    ClusterCertificateAuthority again =
        ClusterCertificateAuthority.read(authority.file(PASSWORD), PASSWORD);
    KeyStore early = store(authority.issue("early", PASSWORD, NOW));
    KeyStore late = store(again.issue("late", PASSWORD, NOW));
    validate(early, NOW, late);
    validate(late, NOW, early);
  }

  @Test
  void reportsUnreadableFile() {
    byte[] file = authority.file(PASSWORD);
    assertThatThrownBy(() -> ClusterCertificateAuthority.read(file, "another"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("authority");
    assertThatThrownBy(
            () -> ClusterCertificateAuthority.read(authority.issue("one", PASSWORD, NOW), PASSWORD))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("authority");
  }

  private static void validate(KeyStore process, Instant at, KeyStore trusting) throws Exception {
    validate(List.of(chain(process)[0]), at, trusting);
  }

  /** The validation of the JVM, without code of this project. */
  private static void validate(List<Certificate> chain, Instant at, KeyStore trusting)
      throws Exception {
    PKIXParameters parameters = new PKIXParameters(trusting);
    parameters.setRevocationEnabled(false);
    parameters.setDate(Date.from(at));
    CertPathValidator.getInstance("PKIX")
        .validate(CertificateFactory.getInstance("X.509").generateCertPath(chain), parameters);
  }

  private static X509TrustManager trust(KeyStore store) throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return (X509TrustManager) trust.getTrustManagers()[0];
  }

  private static Certificate[] chain(KeyStore process) throws Exception {
    return process.getCertificateChain("process");
  }

  private static X509Certificate[] x509(KeyStore process) throws Exception {
    return List.of(chain(process)).toArray(X509Certificate[]::new);
  }

  private static KeyStore store(byte[] file) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(new ByteArrayInputStream(file), PASSWORD.toCharArray());
    return store;
  }
}
