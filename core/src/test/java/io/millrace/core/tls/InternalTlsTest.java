package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testtls.TestAuthority;
import io.millrace.core.testtls.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InternalTlsTest {
  @TempDir private static Path directory;
  private static TestCertificate ours;
  private static TestCertificate theirs;

  @BeforeAll
  static void make() throws IOException {
    ours = TestCertificate.make(directory, "ours");
    theirs = TestCertificate.make(directory, "theirs");
  }

  private static X509Certificate[] chain(TestCertificate of) throws Exception {
    KeyStore store = KeyStore.getInstance(of.store().toFile(), of.password().toCharArray());
    String alias = store.aliases().nextElement();
    return new X509Certificate[] {(X509Certificate) store.getCertificate(alias)};
  }

  private static X509TrustManager trust(Configuration configuration) {
    return (X509TrustManager) InternalTls.of(configuration).orElseThrow().trust();
  }

  @Test
  void isDisabledByDefault() {
    assertThat(InternalTls.of(Configuration.EMPTY)).isEmpty();
  }

  @Test
  void trustsOnlyCertificatesInTheTrustStore() throws Exception {
    X509TrustManager trust = trust(ours.configuration());
    trust.checkServerTrusted(chain(ours), "UNKNOWN");
    trust.checkClientTrusted(chain(ours), "UNKNOWN");
    X509Certificate[] other = chain(theirs);
    assertThatThrownBy(() -> trust.checkServerTrusted(other, "UNKNOWN"))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("CN=theirs")
        .hasMessageContaining("security.ssl.internal.truststore");
    assertThatThrownBy(() -> trust.checkClientTrusted(other, "UNKNOWN"))
        .isInstanceOf(CertificateException.class);
  }

  @Test
  void trustsOnlyTheCertificateWithTheFingerprint() throws Exception {
    for (String algorithm : List.of("SHA-1", "SHA-256")) {
      byte[] digest = MessageDigest.getInstance(algorithm).digest(chain(ours)[0].getEncoded());
      String shown = HexFormat.ofDelimiter(":").withUpperCase().formatHex(digest);
      X509TrustManager one = trust(ours.configuration().with(TlsOptions.FINGERPRINT, shown));
      one.checkServerTrusted(chain(ours), "UNKNOWN");
      X509TrustManager none = trust(theirs.configuration().with(TlsOptions.FINGERPRINT, shown));
      X509Certificate[] other = chain(theirs);
      assertThatThrownBy(() -> none.checkServerTrusted(other, "UNKNOWN"))
          .isInstanceOf(CertificateException.class)
          .hasMessageContaining("security.ssl.internal.cert.fingerprint");
    }
  }

  @Test
  void acceptsOnlyTheConfiguredSubjectForJobManagers() throws Exception {
    TestAuthority authority = TestAuthority.make(directory);
    InternalTls worker = InternalTls.of(authority.process("worker")).orElseThrow();
    X509TrustManager trust = (X509TrustManager) worker.trust();
    X509TrustManager jobManagers = (X509TrustManager) worker.jobManagers();
    X509Certificate[] master = chain(authority.process("jobmanager"));
    X509Certificate[] other = chain(authority.process("other"));
    trust.checkServerTrusted(other, "UNKNOWN");
    jobManagers.checkServerTrusted(master, "UNKNOWN");
    jobManagers.checkClientTrusted(master, "UNKNOWN");
    assertThatThrownBy(() -> jobManagers.checkServerTrusted(other, "UNKNOWN"))
        .isInstanceOf(CertificateException.class)
        .hasMessageContainingAll(
            "CN=other", "CN=jobmanager", "security.ssl.internal.jobmanager-subject");
    assertThatThrownBy(() -> jobManagers.checkClientTrusted(other, "UNKNOWN"))
        .isInstanceOf(CertificateException.class);
  }

  private static X509Certificate[] chain(Configuration process) throws Exception {
    return ((X509KeyManager) InternalTls.of(process).orElseThrow().key())
        .getCertificateChain("process");
  }

  @Test
  void errorsNameMissingAndWrongOptions() throws IOException {
    for (Option<String> needed :
        List.of(
            TlsOptions.KEYSTORE,
            TlsOptions.KEYSTORE_PASSWORD,
            TlsOptions.TRUSTSTORE,
            TlsOptions.TRUSTSTORE_PASSWORD)) {
      Configuration without =
          new Configuration(
              ours.configuration().entries().entrySet().stream()
                  .filter(entry -> !entry.getKey().equals(needed.key()))
                  .collect(
                      java.util.stream.Collectors.toMap(
                          java.util.Map.Entry::getKey, java.util.Map.Entry::getValue)));
      assertRefused(without, needed.key(), "not set");
    }
    assertRefused(ours.configuration().with(TlsOptions.KEYSTORE, "/no/such/file"), "/no/such/file");
    assertRefused(
        ours.configuration().with(TlsOptions.KEYSTORE_PASSWORD, "wrong"),
        "security.ssl.internal.keystore",
        "password");
    assertRefused(
        ours.configuration().with(TlsOptions.KEYSTORE_TYPE, "JCEKS"),
        "security.ssl.internal.keystore-type");
    Path text = Files.writeString(directory.resolve("text"), "no store");
    assertRefused(ours.configuration().with(TlsOptions.TRUSTSTORE, text), text.toString());
    assertRefused(ours.configuration().with(TlsOptions.PROTOCOL, "TLSv9"), "TLSv9", "TLSv1.3");
    assertRefused(ours.configuration().with(TlsOptions.ALGORITHMS, "ROT13"), "ROT13");
    assertRefused(ours.configuration().with(TlsOptions.FINGERPRINT, "12:34"), "12:34", "digits");
    assertRefused(
        ours.configuration().with(TlsOptions.JOB_MANAGER_SUBJECT, "jobmanager"),
        "security.ssl.internal.jobmanager-subject",
        "CN=jobmanager");
  }

  @Test
  void toStringAndErrorsOmitPasswords() {
    assertThat(InternalTls.of(ours.configuration()).orElseThrow()).asString().isEqualTo("TLSv1.3");
    assertThatThrownBy(
            () ->
                InternalTls.of(ours.configuration().with(TlsOptions.KEYSTORE_PASSWORD, "hunter2")))
        .hasMessageNotContaining("hunter2");
  }

  private static void assertRefused(Configuration configuration, String... parts) {
    assertThatThrownBy(() -> InternalTls.of(configuration))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(ErrorKind.USER);
              assertThat(e).hasMessageContainingAll(parts);
            });
  }
}
