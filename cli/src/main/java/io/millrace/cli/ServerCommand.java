package io.millrace.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;

/** A server process in the foreground; it ends with the process's own exit code. */
class ServerCommand implements Callable<Integer> {
  private final ToIntFunction<List<String>> server;

  private final Verbosity verbosity;

  @Mixin private ConfigurationOption settings;

  /**
   * @param server runs the process to its end with the overridden configuration
   */
  ServerCommand(ToIntFunction<List<String>> server, Verbosity verbosity) {
    this.server = server;
    this.verbosity = verbosity;
  }

  List<String> overrides() {
    return settings.overrides();
  }

  @Override
  public final Integer call() {
    if (verbosity.verbose) {
      LogFile.tellMore();
    }
    return server.applyAsInt(overrides());
  }
}
