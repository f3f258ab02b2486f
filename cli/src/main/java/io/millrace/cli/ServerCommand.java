package io.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A server process in the foreground; it ends with the process's own exit code. */
class ServerCommand implements Callable<Integer> {
  private final ToIntFunction<List<String>> server;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Overrides the configuration; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Mixin private Verbosity verbosity;

  /**
   * @param server runs the process to its end with the overridden configuration
   */
  ServerCommand(ToIntFunction<List<String>> server) {
    this.server = server;
  }

  @Override
  public final Integer call() {
    if (verbosity.verbose) {
      LogFile.tellMore();
    }
    return server.applyAsInt(overrides);
  }
}
