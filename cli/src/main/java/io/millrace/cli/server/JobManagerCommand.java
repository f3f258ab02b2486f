package io.millrace.cli.server;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cluster.JobManagerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Runs a JobManager in the foreground. */
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
public final class JobManagerCommand extends ServerCommand {
  private JobManagerCommand(CommonMixin common) {
    super(JobManagerProcess::run, common);
  }

  public static CommandLine line(Console console) {
    CommonMixin common = new CommonMixin();
    return common
        .addedTo(new JobManagerCommand(common))
        .addSubcommand(
            ApplicationCommand.NAME,
            CommonMixin.command(own -> new ApplicationCommand(console, own)));
  }
}
