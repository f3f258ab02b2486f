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
 * The TLS protocol version and cipher suites; this JVM supports them.
 *
 * @param ciphers the allowed cipher suites; empty for the defaults of the JVM
 */
public record TlsVersion(String protocol, List<String> ciphers) {
  /** Throws if this JVM does not support what is configured. */
  public static TlsVersion of(Configuration configuration) {
    TlsVersion version =
        new TlsVersion(
            configuration.get(TlsOptions.PROTOCOL), configuration.get(TlsOptions.ALGORITHMS));
    version.checkKnown();
    return version;
  }

  public static SSLContext context(KeyManager[] keys, TrustManager[] trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "This JVM does not support TLS: " + e.getMessage(), e);
    }
  }

  private void checkKnown() {
    // Not the default context, which would read all certificates of the JVM.
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
        "This JVM does not support '"
            + value
            + "' ("
            + option.key()
            + "). It supports: "
            + String.join(", ", known));
  }
}
