package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every method by which the JVM asks for trust. Which of them it calls depends on the kind of
 * connection, so that a check which one of them lacks would not be missed by the others' tests.
 */
class ClusterTrustManagerTest {
  private static final String PASSWORD = "a password";
  private static final X509Certificate[] MASTER = chain("jobmanager");
  private static final X509Certificate[] OTHER = chain("other");

  private interface Question {
    void ask(ClusterTrustManager trust, X509Certificate[] chain) throws CertificateException;
  }

  private static final Map<String, Question> QUESTIONS = new LinkedHashMap<>();

  static {
    QUESTIONS.put("server", (trust, chain) -> trust.checkServerTrusted(chain, "T"));
    QUESTIONS.put(
        "server socket", (trust, chain) -> trust.checkServerTrusted(chain, "T", (Socket) null));
    QUESTIONS.put(
        "server engine", (trust, chain) -> trust.checkServerTrusted(chain, "T", (SSLEngine) null));
    QUESTIONS.put("client", (trust, chain) -> trust.checkClientTrusted(chain, "T"));
    QUESTIONS.put(
        "client socket", (trust, chain) -> trust.checkClientTrusted(chain, "T", (Socket) null));
    QUESTIONS.put(
        "client engine", (trust, chain) -> trust.checkClientTrusted(chain, "T", (SSLEngine) null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server",
        "server socket",
        "server engine",
        "client",
        "client socket",
        "client engine"
      })
  @Behaviour(
      "I4: a process with a key of another authority is refused, and the certificate of a process"
          + " signs nothing")
  void everyQuestionGoesThroughAllChecks(String name) {
    Question question = QUESTIONS.get(name);
    Store refusing = new Store(true);
    Store trusting = new Store(false);
    Optional<CertificateFingerprint> fingerprint = Optional.of(fingerprint(MASTER[0]));
    Optional<X500Principal> subject = Optional.of(new X500Principal("CN=jobmanager"));

    refused(
        () ->
            question.ask(
                new ClusterTrustManager(refusing, Optional.empty(), Optional.empty()), MASTER),
        "the certificate of the other process (CN=jobmanager) is not trusted by"
            + " security.ssl.internal.truststore of this process (no path)");
    refused(
        () -> question.ask(new ClusterTrustManager(trusting, fingerprint, Optional.empty()), OTHER),
        "the certificate of the other process (CN=other) is not the one with"
            + " security.ssl.internal.cert.fingerprint");
    refused(
        () -> question.ask(new ClusterTrustManager(trusting, Optional.empty(), subject), OTHER),
        "the certificate of the other process (CN=other) is not a JobManager's; those have the"
            + " subject CN=jobmanager (security.ssl.internal.jobmanager-subject)");
    assertThatCode(
            () -> question.ask(new ClusterTrustManager(trusting, fingerprint, subject), MASTER))
        .doesNotThrowAnyException();
    assertThat(refusing.asked).containsOnly(name.startsWith("server") ? "server T" : "client T");
    assertThat(trusting.asked).hasSize(3).containsOnly(refusing.asked.get(0));
  }

  /** The store decides first: a fingerprint does not make up for a missing trust. */
  @Test
  void fingerprintAloneIsNotEnough() {
    ClusterTrustManager trust =
        new ClusterTrustManager(
            new Store(true), Optional.of(fingerprint(MASTER[0])), Optional.empty());

    refused(
        () -> trust.checkServerTrusted(MASTER, "T"),
        "the certificate of the other process (CN=jobmanager) is not trusted by"
            + " security.ssl.internal.truststore of this process (no path)");
  }

  @Test
  void processWithoutACertificateIsRefused() {
    ClusterTrustManager trust =
        new ClusterTrustManager(new Store(true), Optional.empty(), Optional.empty());

    refused(
        () -> trust.checkClientTrusted(new X509Certificate[0], "T"),
        "the certificate of the other process (none) is not trusted by"
            + " security.ssl.internal.truststore of this process (no path)");
  }

  @Test
  void issuersAreThoseOfTheStore() {
    assertThat(
            new ClusterTrustManager(new Store(false), Optional.empty(), Optional.empty())
                .getAcceptedIssuers())
        .isEqualTo(MASTER);
  }

  @Test
  void fingerprintsAreReadAsKeytoolAndOpensslPrintThem() throws Exception {
    for (String algorithm : List.of("SHA-1", "SHA-256")) {
      byte[] digest = MessageDigest.getInstance(algorithm).digest(MASTER[0].getEncoded());
      for (String text :
          List.of(
              HexFormat.of().formatHex(digest),
              HexFormat.of().withUpperCase().formatHex(digest),
              HexFormat.ofDelimiter(":").withUpperCase().formatHex(digest))) {
        CertificateFingerprint fingerprint = CertificateFingerprint.parse(text);
        assertThat(fingerprint.algorithm()).isEqualTo(algorithm);
        assertThat(fingerprint.fits(MASTER[0])).isTrue();
        assertThat(fingerprint.fits(OTHER[0])).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "12:34", "zz", "0123456789012345678901234567890123456789012"})
  void otherTextsAreNoFingerprints(String text) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> CertificateFingerprint.parse(text))
        .withMessage(
            "'"
                + text
                + "' is not a fingerprint (security.ssl.internal.cert.fingerprint): it must have 40"
                + " or 64 hexadecimal digits, as printed by keytool -list -v.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  private interface Check {
    void run() throws CertificateException;
  }

  private static void refused(Check check, String message) {
    assertThatExceptionOfType(CertificateException.class)
        .isThrownBy(check::run)
        .withMessage(message);
  }

  private static CertificateFingerprint fingerprint(X509Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return CertificateFingerprint.parse(HexFormat.of().formatHex(digest));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static X509Certificate[] chain(String name) {
    try {
      byte[] file =
          ClusterCertificateAuthority.create("a cluster", Instant.now())
              .issue(name, PASSWORD, Instant.now());
      KeyStore store = KeyStore.getInstance("JKS");
      store.load(new ByteArrayInputStream(file), PASSWORD.toCharArray());
      return List.of(store.getCertificateChain("process")).toArray(X509Certificate[]::new);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A store that trusts everything or nothing. */
  private static final class Store implements X509TrustManager {
    private final boolean refuses;
    private final List<String> asked = new ArrayList<>();

    Store(boolean refuses) {
      this.refuses = refuses;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      answer("client " + type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      answer("server " + type);
    }

    private void answer(String question) throws CertificateException {
      asked.add(question);
      if (refuses) {
        throw new CertificateException("no path");
      }
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return MASTER;
    }
  }
}
