package io.millrace.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which options must not show in logs. */
final class Secrets {
  private static final String HIDDEN = "(hidden)";
  private static final Pattern ASSIGNMENT = Pattern.compile("(-D|-+)?([^=]+)=(.*)", Pattern.DOTALL);

  private Secrets() {}

  static boolean hides(String key) {
    String lower = key.toLowerCase(Locale.ROOT);
    return (lower.contains("secret") && !lower.endsWith(".file"))
        || lower.contains("password")
        || (lower.contains("token") && !lower.startsWith("security.delegation.tokens."))
        || lower.contains("access-key");
  }

  /** The value of an option as a log may show it; options of a JVM are words of their own. */
  static String masked(String key, String value) {
    if (hides(key)) {
      return HIDDEN;
    }
    return key.startsWith("env.java.opts")
        ? String.join(" ", masked(List.of(value.split(" "))))
        : value;
  }

  /**
   * Words of a command line as a log may show them: {@code key=value} and {@code -Dkey=value}
   * without the values of hidden keys, and {@code --key value} without the word that follows one.
   */
  static List<String> masked(List<String> words) {
    List<String> shown = new ArrayList<>();
    boolean hideNext = false;
    for (String word : words) {
      Matcher assignment = ASSIGNMENT.matcher(word);
      if (hideNext && !word.startsWith("-")) {
        shown.add(HIDDEN);
        hideNext = false;
      } else if (assignment.matches()) {
        shown.add(
            word.substring(0, assignment.start(3))
                + masked(assignment.group(2), assignment.group(3)));
        hideNext = false;
      } else {
        shown.add(word);
        hideNext = word.startsWith("-") && hides(word);
      }
    }
    return shown;
  }
}
