package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Adds TaskManagers to a running cluster. */
@Command(
    name = "add",
    description = "Starts additional TaskManagers, for example to replace one that was killed.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster add --taskmanagers 1"})
final class ClusterAdd implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--taskmanagers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of TaskManagers to add. Default: ${DEFAULT-VALUE}.")
  private int taskManagers;

  @Mixin private DirectoryMixin directory;

  ClusterAdd(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterStart.check("--taskmanagers", taskManagers);
    ClusterDirectory clusterDirectory = directory.directory(console);
    if (clusterDirectory.runningAddress().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "No cluster runs in "
              + clusterDirectory.root()
              + ". Start one with `millrace cluster start`.");
    }
    clusterDirectory.withLock(
        () -> {
          Configuration configuration = clusterDirectory.configuration();
          refuseElastic(configuration);
          new ClusterStarter(console, clusterDirectory, configuration).add(taskManagers);
        });
    return ExitCodes.OK;
  }

  private static void refuseElastic(Configuration configuration) {
    if (ClusterStart.isElastic(configuration)) {
      throw new MillraceException(
          ErrorKind.USER,
          "This cluster is elastic: it starts TaskManagers when jobs need them. To allow more, run"
              + " `millrace cluster limit --max-taskmanagers N`.");
    }
  }
}
