package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A JobManager in the foreground. */
@Command(
    name = "jobmanager",
    description = {
      "Runs a JobManager in the foreground, until it is interrupted.",
      "`jobmanager application` runs one for a single program."
    },
    footer = {
      "",
      "Example:",
      "  millrace jobmanager -D rest.port=8081 -D jobmanager.rpc.port=6123",
      "  millrace jobmanager application examples/word-count.jar"
    })
final class JobManagerCommand extends ServerCommand {
  private JobManagerCommand(CommonMixin verbosity) {
    super(JobManagerProcess::run, verbosity);
  }

  static CommandLine line(Console console) {
    CommonMixin verbosity = new CommonMixin();
    return verbosity
        .added(new JobManagerCommand(verbosity))
        .addSubcommand(
            ApplicationCommand.NAME, Millrace.with(own -> new ApplicationCommand(console, own)));
  }
}
