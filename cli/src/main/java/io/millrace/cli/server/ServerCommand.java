package io.millrace.cli.server;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.log.LogbackConfigurator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;

/** Runs a server process in the foreground and returns its exit code. */
public class ServerCommand implements Callable<Integer> {
  private final ToIntFunction<List<String>> server;

  private final CommonMixin common;

  @Mixin private ConfigurationMixin settings;

  /**
   * @param server runs the process until its end, with the overrides of the configuration
   */
  public ServerCommand(ToIntFunction<List<String>> server, CommonMixin common) {
    this.server = server;
    this.common = common;
  }

  public List<String> overrides() {
    return settings.overrides();
  }

  @Override
  public final Integer call() {
    if (common.isVerbose()) {
      LogbackConfigurator.enableDebug();
    }
    return server.applyAsInt(overrides());
  }
}
