package io.millrace.client;

import io.millrace.core.config.RestTlsOptions;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** What is wrong where two sides do not come to speak TLS, in words of the options. */
final class TlsErrors {
  private TlsErrors() {}

  /** What to change; nothing where the connection just broke. */
  static Optional<String> sentence(SSLException failure) {
    String said = String.valueOf(failure.getMessage());
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof CertificateException)) {
      cause = cause.getCause();
    }
    if (cause instanceof CertificateException refused) {
      return Optional.of(certificate(refused));
    }
    if (said.startsWith("Unsupported or unrecognized SSL message")) {
      return Optional.of(
          "it does not serve over TLS. Set "
              + RestTlsOptions.ENABLED.key()
              + " to false, or to true where the JobManager is started.");
    }
    if (said.startsWith("Received fatal alert")) {
      return Optional.of(
          "it ends the connection ("
              + said
              + "). If it asks for certificates, set "
              + RestTlsOptions.AUTHENTICATION.key()
              + " to true and "
              + RestTlsOptions.KEYSTORE.key()
              + " to a file with one that it trusts.");
    }
    return Optional.empty();
  }

  private static String certificate(CertificateException refused) {
    String said = String.valueOf(refused.getMessage());
    // So the JDK begins what it says of hosts, and nothing else.
    return said.startsWith("No subject alternative") || said.startsWith("No name matching")
        ? "its certificate is for another host ("
            + said
            + "). Call it by the name that it has there, or set "
            + RestTlsOptions.VERIFY_HOSTNAME.key()
            + " to false."
        : "its certificate is not one that "
            + RestTlsOptions.TRUSTSTORE.key()
            + " trusts ("
            + said
            + ").";
  }
}
