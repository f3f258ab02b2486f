package io.millrace.cluster;

import java.util.Locale;

/** Which options must not show in logs. */
final class Secrets {
  private Secrets() {}

  static boolean hides(String key) {
    String lower = key.toLowerCase(Locale.ROOT);
    return (lower.contains("secret") && !lower.endsWith(".file"))
        || lower.contains("password")
        || (lower.contains("token") && !lower.startsWith("security.delegation.tokens."))
        || lower.contains("access-key");
  }
}
