package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops a cluster. */
@Command(
    name = "stop",
    description = {
      "Ends a cluster on this machine, its jobs included, and removes its directory.",
      "The logs stay if a process of the cluster had died before."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster stop"})
final class ClusterStop implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--keep-logs",
      negatable = true,
      description =
          "Leave the log files in the directory, or not. Default: only after a process has died.")
  private Optional<Boolean> keepLogs = Optional.empty();

  @Mixin private DirectoryMixin directory;

  ClusterStop(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterDirectory place = directory.directory(console);
    if (place.processes().isEmpty()) {
      throw new MillraceException(ErrorKind.USER, "No cluster runs in " + place.root() + ".");
    }
    place.withLock(
        () -> {
          int running = place.found().size();
          List<String> dead =
              place.processes().stream()
                  .filter(process -> !process.isAlive())
                  .map(ClusterProcess::name)
                  .toList();
          new ClusterShutdown(place).stop();
          boolean keep = keepLogs.orElse(!dead.isEmpty());
          List<Path> left = place.clear(keep);
          console.out().println("Cluster stopped: " + ClusterStarter.processes(running) + " ended");
          if (keep) {
            console
                .err()
                .println(
                    (dead.isEmpty() ? "" : String.join(", ", dead) + " had died before. ")
                        + "The logs are in "
                        + place.logs());
          }
          if (!left.isEmpty()) {
            console.err().println("Files that are no cluster's are left: " + left);
          }
        });
    return ExitCodes.OK;
  }
}
