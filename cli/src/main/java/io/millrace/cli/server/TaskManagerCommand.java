package io.millrace.cli.server;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cluster.TaskManagerProcess;
import picocli.CommandLine.Command;

/** Runs a TaskManager in the foreground. */
@Command(
    name = "taskmanager",
    description = {
      "Runs a TaskManager in the foreground, until it is interrupted.",
      "It registers at the JobManager that jobmanager.rpc.address and jobmanager.rpc.port name."
    },
    footer = {
      "",
      "Example:",
      "  millrace taskmanager -D jobmanager.rpc.port=6123 -D taskmanager.numberOfTaskSlots=4"
    })
public final class TaskManagerCommand extends ServerCommand {
  public TaskManagerCommand(CommonMixin common) {
    super(TaskManagerProcess::run, common);
  }
}
