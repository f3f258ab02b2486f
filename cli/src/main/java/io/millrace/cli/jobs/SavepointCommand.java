package io.millrace.cli.jobs;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code savepoint}, which is {@code savepoint trigger} without a subcommand. */
@Command(
    name = "savepoint",
    description = {
      "Takes a savepoint of a job, which continues, and waits until it is stored.",
      "`savepoint inspect` shows what a savepoint contains, `savepoint dispose` deletes it."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace savepoint 5e20cb6b0f357591171dfcca2eea09de /data/savepoints",
      "  millrace savepoint inspect /data/savepoints/savepoint-5e20cb-0123456789ab",
      "  millrace savepoint dispose /data/savepoints/savepoint-5e20cb-0123456789ab",
      "  millrace run -s /data/savepoints/savepoint-5e20cb-0123456789ab program.jar"
    })
public final class SavepointCommand extends SavepointTrigger {
  private SavepointCommand(Console console) {
    super(console);
  }

  public static CommandLine line(Console console) {
    return CommonMixin.command(new SavepointCommand(console))
        .addSubcommand("trigger", CommonMixin.command(new SavepointTrigger(console)))
        .addSubcommand("inspect", CommonMixin.command(new SavepointInspect(console)))
        .addSubcommand("dispose", CommonMixin.command(new SavepointDispose(console)));
  }
}
