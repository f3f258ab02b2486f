package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * Which TLS is spoken, one that this JVM knows.
 *
 * @param ciphers those that may be used, empty for the JVM's own choice
 */
record TlsVersion(String protocol, List<String> ciphers) {
  static TlsVersion of(Configuration configuration) {
    TlsVersion version =
        new TlsVersion(
            configuration.get(TlsOptions.PROTOCOL), configuration.get(TlsOptions.ALGORITHMS));
    version.checkKnown();
    return version;
  }

  static SSLContext context(KeyManager[] keys, TrustManager[] trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new MillraceException(ErrorKind.EXTERNAL, "This JVM has no TLS: " + e.getMessage(), e);
    }
  }

  private void checkKnown() {
    // Not the default one, which would read all the certificates that the JVM comes with.
    SSLParameters known =
        context(new KeyManager[0], new TrustManager[0]).getSupportedSSLParameters();
    if (!List.of(known.getProtocols()).contains(protocol)) {
      throw unknown(TlsOptions.PROTOCOL, protocol, known.getProtocols());
    }
    for (String cipher : ciphers) {
      if (!List.of(known.getCipherSuites()).contains(cipher)) {
        throw unknown(TlsOptions.ALGORITHMS, cipher, known.getCipherSuites());
      }
    }
  }

  private static MillraceException unknown(Option<?> option, String value, String[] known) {
    return new MillraceException(
        ErrorKind.USER,
        "This JVM does not know '"
            + value
            + "' ("
            + option.key()
            + "). It knows: "
            + String.join(", ", known));
  }
}
