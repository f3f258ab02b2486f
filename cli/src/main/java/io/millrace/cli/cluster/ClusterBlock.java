package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.common.UsageException;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.RestClusterClient;
import io.millrace.client.RestClusterClient.Blocked;
import io.millrace.core.config.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Keeps new work away from a TaskManager or a node. */
@Command(
    name = "block",
    description = {
      "Lets a TaskManager, or all on a node, get no new slots for a while.",
      "What runs there runs on. Without a name it lists what is blocked."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cluster block taskmanager-2 --for 30min --because 'its disk fails'"
    })
final class ClusterBlock implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAME",
      description = "The id of a TaskManager, or the host of a node.")
  private Optional<String> target = Optional.empty();

  @Option(names = "--for", paramLabel = "TIME", description = "For how long. Default: 10min.")
  private String time = "10min";

  @Option(names = "--because", paramLabel = "TEXT", description = "Why, for others to read.")
  private String cause = "blocked by hand";

  @Option(
      names = "--future",
      description = "Block it also where nothing of that name is there yet.")
  private boolean future;

  @Mixin private RunningClusterMixin cluster;

  ClusterBlock(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.CLUSTER;
  }

  @Override
  public Integer call() {
    Duration length = time();
    try (RestClusterClient client = cluster.client(console)) {
      if (target.isPresent()) {
        client.block(target.get(), length, cause, future);
        console
            .out()
            .println(target.get() + " gets nothing new for " + Durations.readable(length) + ".");
      } else {
        list(client.blocklist());
      }
    }
    return ExitCodes.OK;
  }

  private Duration time() {
    try {
      Duration length = Durations.parse(time);
      if (length.toSeconds() >= 1) {
        return length;
      }
    } catch (IllegalArgumentException e) {
      throw new UsageException("--for wants a time such as 30min, not '" + time + "'.");
    }
    throw new UsageException("--for wants a time of at least 1 s, not '" + time + "'.");
  }

  private void list(List<Blocked> blocked) {
    if (blocked.isEmpty()) {
      console.out().println("Nothing is blocked.");
      return;
    }
    TextTable table = new TextTable("NAME", "LEFT", "BECAUSE");
    for (Blocked one : blocked) {
      table.row(
          SingleLine.of(one.target()), Durations.readable(one.left()), SingleLine.of(one.cause()));
    }
    table.print(console.out());
  }
}
