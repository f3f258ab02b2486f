package io.millrace.yarn.launch;

import java.util.regex.Pattern;

/**
 * Text that arrives as it is, whatever it is made of. YARN looks for names to replace in a
 * container's command, writes it between double quotes into a script, and has a second shell read
 * what the first made of it.
 */
public final class ShellQuoting {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private ShellQuoting() {}

  /** A word of a command; {@link ContainerLaunch#LOG_DIR} in it is left to YARN. */
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
    // Taken apart where YARN would see <NAME>, {{ or }}: quoted parts that touch are one word.
    String inner =
        "'"
            + word.replace("'", "'\\''").replace("<", "<''").replace("{", "{''").replace("}", "}''")
            + "'";
    return inQuotes(inner, true);
  }

  /** The value of a variable, which YARN writes between double quotes; the shell reads its $. */
  public static String value(String text) {
    return inQuotes(text, false);
  }

  private static String inQuotes(String text, boolean dollars) {
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("`", "\\`");
    return dollars ? escaped.replace("$", "\\$") : escaped;
  }
}
