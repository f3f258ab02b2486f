package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import picocli.CommandLine.Command;

/** A JobManager in the foreground. */
@Command(
    name = "jobmanager",
    description = "Runs a JobManager in the foreground, until it is interrupted.",
    footer = {
      "",
      "Example:",
      "  millrace jobmanager -D rest.port=8081 -D jobmanager.rpc.port=6123"
    })
final class JobManagerCommand extends ServerCommand {
  JobManagerCommand(Verbosity verbosity) {
    super(JobManagerProcess::run, verbosity);
  }
}
