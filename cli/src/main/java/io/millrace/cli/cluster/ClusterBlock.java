package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.common.UsageException;
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

/** Adds a TaskManager or node to the blocklist, or shows the blocklist. */
@Command(
    name = "block",
    description = {
      "Blocks a TaskManager or node: it gets no new slots or containers for some time.",
      "Running tasks continue. Without a name it lists the blocked TaskManagers and nodes."
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

  @Option(
      names = "--because",
      paramLabel = "TEXT",
      description = "The reason, which the list shows.")
  private String cause = "blocked by hand";

  @Option(names = "--future", description = "Also block a name that does not exist yet.")
  private boolean future;

  @Mixin private RunningClusterMixin cluster;

  ClusterBlock(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Duration length = time();
    try (RestClusterClient client = cluster.client(console)) {
      if (target.isPresent()) {
        client.block(target.get(), length, cause, future);
        console.out().println(target.get() + " is blocked for " + Durations.readable(length) + ".");
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
      throw new UsageException("--for requires a time such as 30min, not '" + time + "'.");
    }
    throw new UsageException("--for requires a time of at least 1 s, not '" + time + "'.");
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
