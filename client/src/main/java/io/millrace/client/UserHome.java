package io.millrace.client;

import java.nio.file.Path;
import java.util.Map;

/** The home directory of the user. */
public final class UserHome {
  private static final String VARIABLE = "HOME";

  private UserHome() {}

  /**
   * The directory that {@code HOME} names, else the home directory of the operating system's user.
   */
  public static Path of(Map<String, String> environment) {
    String named = environment.getOrDefault(VARIABLE, "");
    return Path.of(named.isEmpty() ? System.getProperty("user.home") : named);
  }
}
