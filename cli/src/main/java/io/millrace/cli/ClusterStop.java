package io.millrace.cli;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops a cluster. */
@Command(
    name = "stop",
    description = "Ends a cluster on this machine, its jobs included, and removes its directory.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster stop"})
final class ClusterStop implements Callable<Integer> {
  private final Console console;

  @Option(names = "--keep-logs", description = "Leave the log files in the directory.")
  private boolean keepLogs;

  @Mixin private DirectoryOption directory;

  ClusterStop(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterDirectory place = directory.directory(console);
    if (place.processes().isEmpty()) {
      throw new MillraceException(ErrorKind.USER, "No cluster runs in " + place.root() + ".");
    }
    place.alone(
        () -> {
          int running = place.alive().size();
          new ClusterEnd(place).stop();
          place.clear(keepLogs);
          console
              .out()
              .println(
                  "Cluster stopped: "
                      + running
                      + (running == 1 ? " process" : " processes")
                      + " ended");
        });
    return ExitCodes.OK;
  }
}
