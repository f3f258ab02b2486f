package io.millrace.cli.common;

import java.nio.file.Path;

/** Paths of savepoints and checkpoints on the command line. */
public final class StatePath {
  private StatePath() {}

  /**
   * The path as processes of the cluster understand it: they have other working directories. A path
   * with a scheme stays as it is.
   */
  public static String absolute(String given) {
    return given.matches("[a-z][a-z0-9+.-]+:.*")
        ? given
        : Path.of(given).toAbsolutePath().normalize().toString();
  }
}
