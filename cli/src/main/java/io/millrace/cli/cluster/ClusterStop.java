package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
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
      "Ends a cluster on this machine and its jobs, and removes its directory.",
      "The logs are kept if a process of the cluster had died before."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster stop"})
final class ClusterStop implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--keep-logs",
      negatable = true,
      description =
          "Keep the log files in the directory, or remove them. Default: keep them if a process has"
              + " died.")
  private Optional<Boolean> keepLogs = Optional.empty();

  @Mixin private DirectoryMixin directory;

  ClusterStop(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterDirectory clusterDirectory = directory.directory(console);
    if (clusterDirectory.processes().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "No cluster runs in "
              + clusterDirectory.root()
              + ". If it runs in another directory, name that with --dir.");
    }
    clusterDirectory.withLock(
        () -> {
          int running = clusterDirectory.found().size();
          List<String> dead =
              clusterDirectory.processes().stream()
                  .filter(process -> !process.isAlive())
                  .map(ClusterProcess::name)
                  .toList();
          new ClusterShutdown(clusterDirectory).stop();
          boolean keep = keepLogs.orElse(!dead.isEmpty());
          List<Path> left = clusterDirectory.clear(keep);
          console.out().println("Cluster stopped: " + ClusterStarter.processes(running) + " ended");
          if (keep) {
            console
                .err()
                .println(
                    (dead.isEmpty() ? "" : String.join(", ", dead) + " had died before. ")
                        + "The logs are in "
                        + clusterDirectory.logs());
          }
          List<Path> state =
              left.stream()
                  .filter(
                      path ->
                          path.equals(clusterDirectory.checkpoints())
                              || path.equals(clusterDirectory.savepoints()))
                  .toList();
          left = left.stream().filter(path -> !state.contains(path)).toList();
          if (Files.exists(clusterDirectory.keys())) {
            console
                .err()
                .println(
                    "The keys are kept in "
                        + clusterDirectory.keys()
                        + ": bundles for other machines fit the next start, too. To revoke them,"
                        + " remove this directory.");
          }
          if (!state.isEmpty()) {
            console.err().println("Savepoints and checkpoints are kept: " + state);
          }
          if (!left.isEmpty()) {
            console.err().println("Files that do not belong to the cluster are kept: " + left);
          }
        });
    return ExitCodes.OK;
  }
}
