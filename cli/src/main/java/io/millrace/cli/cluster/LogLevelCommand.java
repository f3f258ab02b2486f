package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.TextTable;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RestClusterClient.LoggerLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or changes what the processes of a running cluster log. */
@Command(
    name = "log-level",
    description = {
      "Changes the level of a logger in the JobManager and all TaskManagers, until they end.",
      "Without a logger it lists the levels; without a level it restores the one from the start."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace log-level com.example.orders debug",
      "  millrace log-level io.millrace.rest trace --process jobmanager"
    })
public final class LogLevelCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "LOGGER",
      description = "A class or package, or ROOT for all.")
  private Optional<String> logger = Optional.empty();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "LEVEL",
      description = "trace, debug, info, warn, error or off.")
  private Optional<String> level = Optional.empty();

  @Option(
      names = "--process",
      paramLabel = "NAME",
      description = "Only this process: jobmanager, or the id of a TaskManager.")
  private Optional<String> process = Optional.empty();

  @Mixin private RunningClusterMixin cluster;

  public LogLevelCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (RestClusterClient client = cluster.client(console)) {
      List<String> processes = processes(client);
      if (logger.isEmpty()) {
        list(client, processes);
      } else {
        for (String each : processes) {
          change(client, each, logger.get());
        }
      }
    }
    return ExitCodes.OK;
  }

  private List<String> processes(RestClusterClient client) {
    if (process.isPresent()) {
      return List.of(process.get());
    }
    List<String> all = new ArrayList<>(List.of(RestClusterClient.JOB_MANAGER));
    client.workers().forEach(worker -> all.add(worker.id()));
    return all;
  }

  private void change(RestClusterClient client, String of, String name) {
    if (level.isPresent()) {
      String wanted = level.get().toUpperCase(Locale.ROOT);
      client.setLogLevel(of, new LoggerLevel(name, wanted));
      console.out().println(SingleLine.of(of) + ": " + name + " logs at level " + wanted);
    } else {
      client.restoreLogLevel(of, name);
      console.out().println(SingleLine.of(of) + ": " + name + " logs as at the start");
    }
  }

  private void list(RestClusterClient client, List<String> processes) {
    TextTable table = new TextTable("PROCESS", "LOGGER", "LEVEL");
    for (String each : processes) {
      for (LoggerLevel one : client.logLevels(each)) {
        table.row(SingleLine.of(each), SingleLine.of(one.logger()), SingleLine.of(one.level()));
      }
    }
    table.print(console.out());
  }
}
