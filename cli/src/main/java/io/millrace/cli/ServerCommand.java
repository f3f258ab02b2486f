package io.millrace.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;

/** A server process in the foreground; it ends with the process's own exit code. */
class ServerCommand implements Callable<Integer> {
  private final ToIntFunction<List<String>> server;

  private final CommonMixin verbosity;

  @Mixin private ConfigurationMixin settings;

  /**
   * @param server runs the process to its end with the overridden configuration
   */
  ServerCommand(ToIntFunction<List<String>> server, CommonMixin verbosity) {
    this.server = server;
    this.verbosity = verbosity;
  }

  List<String> overrides() {
    return settings.overrides();
  }

  @Override
  public final Integer call() {
    if (verbosity.verbose) {
      LogbackConfigurator.enableDebug();
    }
    return server.applyAsInt(overrides());
  }
}
