package io.millrace.connector.jdbc;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes passwords from texts of drivers, which may quote the URL or a property. */
final class SqlSecrets {
  private static final String HIDDEN = "***";
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)[a-z]*\\s*=\\s*)([^&;,\\s)\"']*)");
  private static final Pattern USER_INFO = Pattern.compile("(//[^/@:\\s]*:)([^/@\\s]+)(@)");

  private final Set<String> secrets = new LinkedHashSet<>();

  SqlSecrets(String url, Map<String, String> properties) {
    String user = properties.getOrDefault("user", "");
    properties.forEach(
        (name, value) -> {
          if (PARAMETER.matcher(name + "=").find()) {
            secrets.add(value);
          }
        });
    collect(PARAMETER.matcher(url));
    collect(USER_INFO.matcher(url));
    // A name of a user appears in messages and would be hidden there without need.
    secrets.remove(user);
    secrets.remove("");
  }

  private void collect(Matcher matcher) {
    while (matcher.find()) {
      secrets.add(matcher.group(2));
    }
  }

  static String redactUrl(String url) {
    String hidden = PARAMETER.matcher(url).replaceAll("$1" + Matcher.quoteReplacement(HIDDEN));
    return USER_INFO.matcher(hidden).replaceAll("$1" + Matcher.quoteReplacement(HIDDEN) + "$3");
  }

  String redact(String text) {
    String hidden = redactUrl(text);
    for (String secret : secrets) {
      hidden =
          Pattern.compile("(?<![\\p{L}\\p{N}])" + Pattern.quote(secret) + "(?![\\p{L}\\p{N}])")
              .matcher(hidden)
              .replaceAll(Matcher.quoteReplacement(HIDDEN));
    }
    return hidden;
  }
}
