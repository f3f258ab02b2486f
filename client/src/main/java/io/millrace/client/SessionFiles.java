package io.millrace.client;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The paths of the files that name the current session of a user, one per command-line style that
 * has sessions. A style reads and writes its file; with the paths, a command finds out whether one
 * exists without loading plugins.
 */
public final class SessionFiles {
  private SessionFiles() {}

  /** The directory of all such files. */
  public static Path directory(Map<String, String> environment) {
    return UserHome.of(environment).resolve(".millrace");
  }

  /** The name of the file of a style. */
  public static String name(String style) {
    return "." + style + suffix();
  }

  /** The names of the styles that have such a file, sorted. */
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
