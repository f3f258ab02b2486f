package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.ClusterKey;
import io.millrace.yarn.launch.Layout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** What only the processes of one cluster, and the user's own clients, know. Made anew for each. */
final class Secrets {
  private final String secret = RestToken.random();
  private final String restToken = RestToken.random();
  private final String keyPassword = RestToken.random();

  /** What clients of REST present. */
  String restToken() {
    return restToken;
  }

  /** Files by the place that a container has them at. */
  Map<String, byte[]> files(Configuration configuration) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(Layout.SECRET, secret.getBytes(StandardCharsets.UTF_8));
    files.put(Layout.REST_TOKEN, restToken.getBytes(StandardCharsets.UTF_8));
    if (!hasKeyOfItsOwn(configuration)) {
      files.put(Layout.KEY_STORE, ClusterKey.create(keyPassword, Instant.now()));
    }
    return files;
  }

  /** The configuration of a process that has these files. */
  Configuration in(Configuration configuration) {
    Configuration known =
        configuration
            .with(Options.SECRET_FILE, Layout.SECRET)
            .with(SecurityOptions.REST_TOKEN_FILE, Layout.REST_TOKEN);
    return hasKeyOfItsOwn(configuration)
        ? known
        : known
            .with(TlsOptions.INTERNAL_ENABLED, true)
            .with(TlsOptions.KEYSTORE, Layout.KEY_STORE)
            .with(TlsOptions.KEYSTORE_PASSWORD, keyPassword)
            .with(TlsOptions.TRUSTSTORE, Layout.KEY_STORE)
            .with(TlsOptions.TRUSTSTORE_PASSWORD, keyPassword);
  }

  /** Whoever configured key stores has put them on the nodes. */
  private static boolean hasKeyOfItsOwn(Configuration configuration) {
    return configuration.contains(TlsOptions.KEYSTORE);
  }
}
