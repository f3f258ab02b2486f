package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import picocli.CommandLine.Command;

/** Explains the state of a job. */
@Command(
    name = "explain",
    description = {
      "Explains the state of a job.",
      "What it waits for, the requests and answers, and what would help; where its slots are and"
          + " why; the consequences of its failures."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace explain 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace explain --json -m 127.0.0.1:8081 5e20cb6b0f357591171dfcca2eea09de"
    })
public final class ExplainCommand extends JobReportCommand {
  public ExplainCommand(Console console) {
    super(
        console,
        "explain",
        (client, job) ->
            client
                .explain(job)
                .map(explanation -> ExplanationView.lines(explanation, console.width())));
  }
}
