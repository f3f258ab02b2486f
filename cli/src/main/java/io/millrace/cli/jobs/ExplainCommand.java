package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells why a job is where it is. */
@Command(
    name = "explain",
    description = {
      "Tells why a job is where it is.",
      "What it waits for, what was asked of whom and answered, and what would help; where its slots"
          + " are and why there; what its failures led to."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace explain 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace explain --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
public final class ExplainCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Mixin private JobReportMixin page;

  public ExplainCommand(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.CLUSTER;
  }

  @Override
  public Integer call() {
    return page.show(
        console,
        "explain",
        (client, job) ->
            client.explain(job).map(told -> ExplanationView.lines(told, console.width())));
  }
}
