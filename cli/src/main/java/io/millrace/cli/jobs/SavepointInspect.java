package io.millrace.cli.jobs;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.TextTable;
import io.millrace.cli.common.UsageException;
import io.millrace.client.PluginServices;
import io.millrace.client.ProgramClasses;
import io.millrace.client.SavepointContents;
import io.millrace.client.SavepointContents.OperatorState;
import io.millrace.client.SavepointContents.State;
import io.millrace.client.SavepointEntries;
import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.protocol.text.Plural;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what a savepoint contains. */
@Command(
    name = "inspect",
    description = {
      "Shows the operators of a savepoint or checkpoint with their states, classes and sizes, or"
          + " the entries of one state as JSON. Needs no cluster.",
      "The exit code is 1 if a file is damaged or missing."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace savepoint inspect /data/savepoints/savepoint-5e20cb-0123456789ab",
      "  millrace savepoint inspect --operator process --state total --key Ann --limit 5 PATH"
    })
final class SavepointInspect implements Callable<Integer> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Console console;

  @Parameters(
      paramLabel = "PATH",
      description = "Directory of the savepoint, or the metadata file in it.")
  private String path;

  @Option(
      names = "--operator",
      paramLabel = "OPERATOR",
      description = "Id or name of the operator whose entries are printed. Needs --state.")
  private Optional<String> operator = Optional.empty();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "State whose entries are printed, one JSON object per line.")
  private Optional<String> state = Optional.empty();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only entries of this key: the text of a string, or JSON.")
  private Optional<String> key = Optional.empty();

  @Option(names = "--limit", paramLabel = "N", description = "Entries at most. Default: 100.")
  private int limit = 100;

  @Option(
      names = {"-C", "--jar"},
      paramLabel = "JAR",
      description =
          "Jar with classes of the program; may be repeated. Needed only for constants of enums,"
              + " whose names state does not show without their class.")
  private List<Path> jars = new ArrayList<>();

  @Option(names = "--json", description = "Everything as JSON.")
  private boolean json;

  @Mixin private ConfigurationMixin settings;

  SavepointInspect(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (operator.isPresent() != state.isPresent() || key.isPresent() && state.isEmpty()) {
      throw new UsageException("Entries need both --operator and --state.");
    }
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1, not " + limit + ".");
    }
    Configuration configuration = settings.load(console);
    FileSystems files =
        FileSystems.of(PluginServices.plugins(console.process(), configuration), configuration);
    SavepointContents contents = SavepointContents.read(files, StatePath.absolute(path));
    if (state.isPresent()) {
      entries(files, contents, configuration);
    } else if (json) {
      console.out().println(contents.json());
    } else {
      show(contents);
    }
    contents.errors().forEach(error -> console.err().println("millrace: " + SingleLine.of(error)));
    return contents.errors().isEmpty() ? ExitCodes.OK : ExitCodes.ERROR;
  }

  private void entries(FileSystems files, SavepointContents contents, Configuration configuration) {
    try (ProgramClasses classes = ProgramClasses.open(jars, configuration)) {
      new SavepointEntries(files, contents, classes.loader())
          .print(operator.get(), state.get(), key, limit, console.out()::println);
    }
  }

  private void show(SavepointContents contents) {
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
    for (OperatorState each : contents.operators()) {
      table.row(
          SingleLine.of(each.name()),
          each.id(),
          each.parallelism() + " (max " + each.maxParallelism() + ")",
          new MemorySize(each.bytes()).toString(),
          each.finished()
              ? "finished"
              : each.states().isEmpty()
                  ? "-"
                  : each.states().stream()
                      .map(one -> SingleLine.of(one.name()))
                      .collect(Collectors.joining(", ")));
    }
    table.print(console.out());
    contents.operators().forEach(this::details);
  }

  private void details(OperatorState each) {
    if (each.states().isEmpty()) {
      return;
    }
    console.out().println();
    console.out().println(SingleLine.of(each.name()) + " (" + each.id() + ")");
    each.states().forEach(one -> console.out().println("  " + text(one)));
    each.classes()
        .forEach(
            type ->
                console
                    .out()
                    .println(
                        "  "
                            + type.form().toLowerCase(Locale.ROOT)
                            + " "
                            + type.name()
                            + " {"
                            + String.join(", ", type.fields())
                            + "}"));
  }

  private static String text(State state) {
    String kind = state.kind().toLowerCase(Locale.ROOT).replace('_', ' ');
    if (!state.isKeyed()) {
      return SingleLine.of(state.name())
          + ": "
          + kind
          + " list of "
          + Plural.of(state.elements(), "element")
          + (state.valueClass().isEmpty() ? "" : " of " + state.valueClass());
    }
    return SingleLine.of(state.name())
        + ": keyed, "
        + kind
        + (state.windowed() ? " per window" : "")
        + (state.timeToLive() ? " with a time to live" : "")
        + (state.keyClass().isEmpty() ? "" : ", " + state.keyClass() + " to " + state.valueClass());
  }
}
