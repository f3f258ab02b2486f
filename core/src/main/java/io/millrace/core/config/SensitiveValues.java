package io.millrace.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Decides by name which values of options and arguments are secret, and hides them. All code that
 * logs options, arguments or JVM options uses it.
 */
public final class SensitiveValues {
  public static final String HIDDEN = "(hidden)";

  /** Without separators, so that access-key, access_key and accessKey match. */
  private static final List<String> SECRET_NAMES =
      List.of(
          "password",
          "passwd",
          "passphrase",
          "secret",
          "token",
          "credential",
          "apikey",
          "accesskey",
          "accountkey",
          "privatekey",
          "servicekey",
          "sharedkey",
          "authorization",
          "authparams",
          "basicauth",
          "jaasconfig",
          "httpheaders");

  /**
   * Short forms of password as the last word of a name: {@code db.pass}, {@code DB_PWD}, {@code
   * dbPw}, {@code -Dpw}. Anywhere else they are parts of other words, such as bypass.
   */
  private static final Pattern SHORT_PASSWORD =
      Pattern.compile("((^|[-_.\\s]|^-y?D)(?i:pass|pwd|pw)|(?<=[a-z0-9])(Pass|Pwd|Pw))$");

  /**
   * Suffixes of names whose values are not secret: the location of a secret, or whether it is used.
   */
  private static final List<String> HARMLESS_ENDS =
      List.of("file", "path", "dir", "jar", "enabled");

  /** Prefix of options whose values are JVM options. */
  private static final String JAVA_OPTIONS = "env.java.opts.";

  private static final String DELEGATION_TOKENS = "security.delegation.tokens.";

  private static final Pattern SEPARATORS = Pattern.compile("[-_.\\s]");

  /** {@code scheme://user:password@host}; the password may contain an unescaped {@code @}. */
  private static final Pattern USER_INFO = Pattern.compile("://[^/\\s]*:[^/\\s]*@");

  /** An argument that may name the next one. */
  private static final Pattern NAME = Pattern.compile("[\\w.-]+");

  /** A name and an equals sign. */
  private static final Pattern ASSIGNMENT = Pattern.compile(NAME.pattern() + "=");

  private SensitiveValues() {}

  /** Whether the value of an option, a system property or an argument with this name is secret. */
  public static boolean isSecret(String name) {
    if (name.startsWith(DELEGATION_TOKENS)) {
      return false;
    }
    if (SHORT_PASSWORD.matcher(name).find()) {
      return true;
    }
    String plain = SEPARATORS.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
    return SECRET_NAMES.stream().anyMatch(plain::contains)
        && HARMLESS_ENDS.stream().noneMatch(plain::endsWith);
  }

  /** The value of an option without secrets. */
  public static String shown(String key, String value) {
    if (isSecret(key)) {
      return HIDDEN;
    }
    return key.startsWith(JAVA_OPTIONS)
        ? String.join(" ", shown(List.of(value.strip().split("\\s+"))))
        : withoutSecrets(value);
  }

  /** All options without secrets, sorted by key. */
  public static Map<String, String> shown(Configuration configuration) {
    Map<String, String> shown = new TreeMap<>();
    configuration.entries().forEach((key, value) -> shown.put(key, shown(key, value)));
    return shown;
  }

  /**
   * Arguments of a command, a program or a JVM without secrets: {@code --password x}, {@code
   * password=x}, {@code -D password=x} and {@code -Dpassword=x} all lose their {@code x}.
   */
  public static List<String> shown(List<String> arguments) {
    List<String> shown = new ArrayList<>();
    boolean hide = false;
    for (String argument : arguments) {
      shown.add(hide ? HIDDEN : withoutSecrets(argument));
      // A flag such as --ask-password has no value: the option after it may name a secret itself.
      hide =
          (!hide || argument.startsWith("-"))
              && NAME.matcher(argument).matches()
              && isSecret(argument);
    }
    return shown;
  }

  /**
   * Hides everything after the first secret name and its equals sign, because the end of a password
   * is unknown.
   */
  private static String withoutSecrets(String text) {
    String shown = USER_INFO.matcher(text).replaceAll("://" + HIDDEN + "@");
    return ASSIGNMENT
        .matcher(shown)
        .results()
        .filter(match -> isSecret(match.group().substring(0, match.group().length() - 1)))
        .findFirst()
        .map(match -> shown.substring(0, match.end()) + HIDDEN)
        .orElse(shown);
  }

  /** For {@link Configuration#toString}. */
  static String text(Configuration configuration) {
    return shown(configuration).entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(", ", "Configuration[", "]"));
  }
}
