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
    description = "Starts further TaskManagers, such as one for another that was killed.",
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
    ClusterDirectory place = directory.directory(console);
    if (place.runningAddress().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "No cluster runs in " + place.root() + ". Start one with `millrace cluster start`.");
    }
    place.withLock(
        () -> {
          Configuration configuration = place.configuration();
          refuseElastic(configuration);
          new ClusterStarter(console, place, configuration).add(taskManagers);
        });
    return ExitCodes.OK;
  }

  private static void refuseElastic(Configuration configuration) {
    if (ClusterStart.isElastic(configuration)) {
      throw new MillraceException(
          ErrorKind.USER,
          "This cluster starts its TaskManagers itself, as jobs need them. To let it start more,"
              + " run `millrace cluster limit --max-taskmanagers N`.");
    }
  }
}
