package io.millrace.yarn.launch;

import java.util.regex.Pattern;

/**
 * Quotes text so that it reaches a process unchanged. YARN replaces names in the command of a
 * container and writes it in double quotes into a script. Its shell starts a second shell, which
 * interprets the result again.
 */
public final class ShellQuoting {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private ShellQuoting() {}

  /** A word of a command in which YARN replaces {@link ContainerLaunch#LOG_DIR}. */
  public static String option(String word) {
    int log = word.indexOf(ContainerLaunch.LOG_DIR);
    return log < 0
        ? word(word)
        : part(word.substring(0, log))
            + ContainerLaunch.LOG_DIR
            + part(word.substring(log + ContainerLaunch.LOG_DIR.length()));
  }

  private static String part(String text) {
    return text.isEmpty() ? "" : word(text);
  }

  /** A word of a command. */
  public static String word(String word) {
    if (PLAIN.matcher(word).matches()) {
      return word;
    }
    // Empty quotes separate what YARN would replace: <NAME>, {{ and }}. Quoted parts that touch
    // are one word.
    String inner =
        "'"
            + word.replace("'", "'\\''").replace("<", "<''").replace("{", "{''").replace("}", "}''")
            + "'";
    return inQuotes(inner, true);
  }

  /** The value of a variable. YARN writes it in double quotes; the shell expands $ in it. */
  public static String value(String text) {
    return inQuotes(text, false);
  }

  private static String inQuotes(String text, boolean dollars) {
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("`", "\\`");
    return dollars ? escaped.replace("$", "\\$") : escaped;
  }
}
