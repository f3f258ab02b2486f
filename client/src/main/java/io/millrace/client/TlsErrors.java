package io.millrace.client;

import io.millrace.core.config.RestTlsOptions;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Describes why a TLS handshake failed and which options to change. */
final class TlsErrors {
  private TlsErrors() {}

  /** The cause and the remedy; empty if the connection merely broke. */
  static Optional<String> sentence(SSLException failure) {
    String message = String.valueOf(failure.getMessage());
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof CertificateException)) {
      cause = cause.getCause();
    }
    if (cause instanceof CertificateException refused) {
      return Optional.of(certificate(refused));
    }
    if (message.startsWith("Unsupported or unrecognized SSL message")) {
      return Optional.of(
          "it does not serve over TLS. Set "
              + RestTlsOptions.ENABLED.key()
              + " to false, or to true where the JobManager is started.");
    }
    if (message.startsWith("Received fatal alert")) {
      return Optional.of(
          "it closes the connection ("
              + message
              + "). If it requires client certificates, set "
              + RestTlsOptions.AUTHENTICATION.key()
              + " to true and "
              + RestTlsOptions.KEYSTORE.key()
              + " to a file with a certificate that it trusts.");
    }
    return Optional.empty();
  }

  private static String certificate(CertificateException refused) {
    String message = String.valueOf(refused.getMessage());
    // Only messages of the JDK about a wrong host name begin like this.
    return message.startsWith("No subject alternative") || message.startsWith("No name matching")
        ? "its certificate is for another host ("
            + message
            + "). Use a host name of the certificate, or set "
            + RestTlsOptions.VERIFY_HOSTNAME.key()
            + " to false."
        : "its certificate is not one that "
            + RestTlsOptions.TRUSTSTORE.key()
            + " trusts ("
            + message
            + ").";
  }
}
