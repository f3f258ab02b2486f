package io.millrace.cli.jobs;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.TextTable;
import io.millrace.client.PluginServices;
import io.millrace.core.MemorySize;
import io.millrace.core.fs.FileSystems;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    StoredMetadata found = new FileCheckpointStorage(files).readMetadata(StatePath.absolute(path));
    CheckpointMetadata metadata = found.metadata();
    console
        .out()
        .println(
            (metadata.type().isSavepoint() ? "Savepoint " : "Checkpoint ")
                + metadata.checkpoint()
                + " of job "
                + metadata.job()
                + ", triggered at "
                + TIME.format(Instant.ofEpochMilli(metadata.timestamp()))
                + ", "
                + new MemorySize(metadata.size())
                + " of state in "
                + found.directory());
    TextTable table = new TextTable("OPERATOR", "ID", "PARALLELISM", "SIZE", "STATES");
    for (VertexState vertex : metadata.vertices()) {
      for (OperatorInfo operator : vertex.operators()) {
        List<OperatorSnapshot> states =
            vertex.subtasks().stream()
                .map(SubtaskState::operators)
                .flatMap(List::stream)
                .filter(state -> state.operator().equals(operator.id()))
                .toList();
        table.row(
            SingleLine.of(operator.name()),
            operator.id().toString(),
            vertex.parallelism() + " (max " + vertex.maxParallelism() + ")",
            new MemorySize(states.stream().mapToLong(OperatorSnapshot::size).sum()).toString(),
            vertex.isFinished() ? "finished" : states(states));
      }
    }
    table.print(console.out());
    return ExitCodes.OK;
  }

  private static String states(List<OperatorSnapshot> states) {
    long keyed = states.stream().mapToLong(state -> state.keyed().size()).sum();
    Map<String, Integer> lists = new LinkedHashMap<>();
    states.stream()
        .flatMap(state -> state.lists().stream())
        .forEach(list -> lists.merge(list.name(), list.elements(), Integer::sum));
    String shown =
        lists.entrySet().stream()
            .map(list -> SingleLine.of(list.getKey()) + " (list, " + list.getValue() + " elements)")
            .collect(Collectors.joining(", "));
    if (keyed == 0) {
      return shown.isEmpty() ? "-" : shown;
    }
    return "keyed" + (shown.isEmpty() ? "" : ", " + shown);
  }
}
