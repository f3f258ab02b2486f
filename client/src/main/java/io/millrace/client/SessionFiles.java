package io.millrace.client;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The files that name the current session of a user, one for each command-line style that has
 * sessions. A style owns its file; here is only where such files are, so that a command finds out
 * without a look into plugins whether there is one.
 */
public final class SessionFiles {
  private SessionFiles() {}

  /** The directory of all such files. */
  public static Path directory(Map<String, String> environment) {
    return UserHome.of(environment).resolve(".millrace");
  }

  /** What the file of a style is called. */
  public static String name(String style) {
    return "." + style + suffix();
  }

  /** The styles that have such a file, in the order of their names. */
  public static List<String> styles(Map<String, String> environment) {
    String[] names = directory(environment).toFile().list();
    List<String> styles = new ArrayList<>();
    if (names != null) {
      Arrays.sort(names);
      for (String name : names) {
        if (name.startsWith(".") && name.endsWith(suffix())) {
          styles.add(name.substring(1, name.length() - suffix().length()));
        }
      }
    }
    return styles;
  }

  private static String suffix() {
    return "-properties-" + System.getProperty("user.name");
  }
}
