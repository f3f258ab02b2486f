package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import picocli.CommandLine.Command;

/** Shows the steps of a job from submission to end. */
@Command(
    name = "timeline",
    description = {
      "Shows the steps of a job from submission to end.",
      "For each step: its start, its duration and its process. The clock is that of the JobManager."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace timeline 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace timeline --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
public final class TimelineCommand extends JobReportCommand {
  public TimelineCommand(Console console) {
    super(
        console,
        "timeline",
        (client, job) ->
            client.timeline(job).map(timeline -> TimelineChart.lines(timeline, console.width())));
  }
}
