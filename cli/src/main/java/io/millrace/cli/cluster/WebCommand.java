package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.RestClusterClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints a link to the web page. */
@Command(
    name = "web",
    description = {
      "Prints a link to the web page of a cluster.",
      "The first browser that opens the link within 10 minutes gets in, for 12 hours."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace web",
      "  millrace web --read-only -m jobs.example.org:8081"
    })
public final class WebCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Option(names = "--read-only", description = "The browser may read, but change nothing.")
  private boolean readOnly;

  @Mixin private RunningClusterMixin cluster;

  public WebCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (RestClusterClient client = cluster.client(console)) {
      console.out().println(client.webLink(readOnly));
    }
    return ExitCodes.OK;
  }
}
