package io.millrace.cli.jobs;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.TextTable;
import io.millrace.client.PluginServices;
import io.millrace.client.SavepointContents;
import io.millrace.client.SavepointContents.OperatorState;
import io.millrace.core.MemorySize;
import io.millrace.core.fs.FileSystems;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows what a savepoint contains. */
@Command(
    name = "inspect",
    description =
        "Shows the operators of a savepoint or checkpoint with their states and sizes. Reads the"
            + " metadata only, and needs no cluster.",
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace savepoint inspect /data/savepoints/savepoint-5e20cb-0123456789ab"
    })
final class SavepointInspect implements Callable<Integer> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Console console;

  @Parameters(
      paramLabel = "PATH",
      description = "Directory of the savepoint, or the metadata file in it.")
  private String path;

  @Mixin private ConfigurationMixin settings;

  SavepointInspect(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    FileSystems files =
        FileSystems.of(PluginServices.plugins(console.process(), settings.load(console)));
    SavepointContents contents = SavepointContents.read(files, StatePath.absolute(path));
    console
        .out()
        .println(
            (contents.savepoint() ? "Savepoint " : "Checkpoint ")
                + contents.number()
                + " of job "
                + contents.job()
                + ", triggered at "
                + TIME.format(Instant.ofEpochMilli(contents.triggeredAt()))
                + ", "
                + new MemorySize(contents.bytes())
                + " of state in "
                + contents.directory());
    TextTable table = new TextTable("OPERATOR", "ID", "PARALLELISM", "SIZE", "STATES");
    for (OperatorState operator : contents.operators()) {
      table.row(
          SingleLine.of(operator.name()),
          operator.id(),
          operator.parallelism() + " (max " + operator.maxParallelism() + ")",
          new MemorySize(operator.bytes()).toString(),
          operator.finished() ? "finished" : states(operator));
    }
    table.print(console.out());
    return ExitCodes.OK;
  }

  private static String states(OperatorState operator) {
    String shown =
        operator.lists().entrySet().stream()
            .map(list -> SingleLine.of(list.getKey()) + " (list, " + list.getValue() + " elements)")
            .collect(Collectors.joining(", "));
    if (!operator.keyed()) {
      return shown.isEmpty() ? "-" : shown;
    }
    return "keyed" + (shown.isEmpty() ? "" : ", " + shown);
  }
}
