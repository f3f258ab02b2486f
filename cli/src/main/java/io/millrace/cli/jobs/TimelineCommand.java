package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the life of a job. */
@Command(
    name = "timeline",
    description = {
      "Shows the life of a job step by step.",
      "When each began, how long it took, which process took it. Times are of the JobManager's clock."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace timeline 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace timeline --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
public final class TimelineCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Mixin private JobReportMixin page;

  public TimelineCommand(Console console) {
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
        "timeline",
        (client, job) ->
            client.timeline(job).map(told -> TimelineChart.lines(told, console.width())));
  }
}
