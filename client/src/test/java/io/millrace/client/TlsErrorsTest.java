package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class TlsErrorsTest {
  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void certificateOfAnotherHostNamesTheOptionOfTheCheck() {
    for (String message :
        new String[] {
          "No subject alternative names matching IP address 127.0.0.1 found",
          "No name matching localhost found"
        }) {
      assertThat(TlsErrors.sentence(caused(new CertificateException(message))))
          .hasValueSatisfying(
              sentence ->
                  assertThat(sentence)
                      .contains("is for another host (" + message + ")")
                      .contains("security.ssl.verify-hostname to false"));
    }
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void certificateThatIsNotTrustedNamesTheTruststore() {
    assertThat(TlsErrors.sentence(caused(new CertificateException("it has expired"))))
        .contains(
            "its certificate is not one that security.ssl.rest.truststore trusts (it has"
                + " expired).");
  }

  @Test
  void serverWithoutTlsNamesTheOptionThatEnablesIt() {
    assertThat(TlsErrors.sentence(new SSLException("Unsupported or unrecognized SSL message")))
        .hasValueSatisfying(
            sentence ->
                assertThat(sentence)
                    .startsWith("it does not serve over TLS. Set security.ssl.rest.enabled"));
  }

  @Test
  void serverThatRequiresACertificateNamesTheOptionsOfTheClient() {
    assertThat(
            TlsErrors.sentence(
                new SSLHandshakeException("Received fatal alert: certificate_required")))
        .hasValueSatisfying(
            sentence ->
                assertThat(sentence)
                    .contains(
                        "certificate_required",
                        "security.ssl.rest.authentication-enabled to true",
                        "security.ssl.rest.keystore"));
  }

  @Test
  void brokenConnectionHasNoRemedy() {
    assertThat(TlsErrors.sentence(new SSLException("Connection reset"))).isEmpty();
    assertThat(TlsErrors.sentence(new SSLException((String) null))).isEmpty();
  }

  private static SSLException caused(CertificateException cause) {
    return new SSLException("PKIX path building failed", new RuntimeException(cause));
  }
}
