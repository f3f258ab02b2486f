package io.millrace.client;

import java.nio.file.Path;
import java.util.Map;

/** Where a user keeps things. */
public final class UserHome {
  private static final String VARIABLE = "HOME";

  private UserHome() {}

  /** The directory that {@code HOME} names, else the one the system has for the user. */
  public static Path of(Map<String, String> environment) {
    String named = environment.getOrDefault(VARIABLE, "");
    return Path.of(named.isEmpty() ? System.getProperty("user.home") : named);
  }
}
