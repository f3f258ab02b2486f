package io.millrace.cli;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A server process in the foreground. */
class ServerCommand implements Callable<Integer> {
  private final Servers server;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Overrides the configuration; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Mixin private Verbosity verbosity;

  ServerCommand(Servers server) {
    this.server = server;
  }

  /** The process ends itself with its own exit code. */
  @Override
  public final Integer call() throws Exception {
    List<String> arguments = new ArrayList<>();
    for (String override : overrides) {
      arguments.add("-D");
      arguments.add(override);
    }
    Method main = Class.forName(server.mainClass()).getMethod("main", String[].class);
    main.invoke(null, (Object) arguments.toArray(new String[0]));
    return ExitCodes.OK;
  }
}
