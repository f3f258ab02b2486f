package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.common.ExitCodes;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

@ResourceLock("ProgramContext")
class MillraceTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  @Behaviour("A2: the help of each command has an example")
  void helpOfEveryCommandHasAnExample() {
    List<String> seen = new ArrayList<>();
    checkHelp(Millrace.commands(cli.console()), new ArrayList<>(), seen);
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "",
            "run",
            "new",
            "info",
            "list",
            "cancel",
            "stop",
            "savepoint",
            "savepoint trigger",
            "savepoint inspect",
            "savepoint dispose",
            "checkpoint",
            "explain",
            "timeline",
            "web",
            "log-level",
            "cluster",
            "cluster start",
            "cluster add",
            "cluster keys",
            "cluster bundle",
            "cluster join",
            "cluster limit",
            "cluster block",
            "cluster unblock",
            "cluster status",
            "cluster stop",
            "session",
            "session start",
            "session attach",
            "session list",
            "session stop",
            "cleanup",
            "memory",
            "jobmanager",
            "jobmanager application",
            "taskmanager",
            "history");
  }

  private void checkHelp(CommandLine command, List<String> path, List<String> seen) {
    String name = String.join(" ", path);
    seen.add(name);
    // The list of commands shows the first line alone.
    assertThat(command.getCommandSpec().usageMessage().description()[0]).as(name).endsWith(".");
    List<String> arguments = new ArrayList<>(path);
    arguments.add("--help");
    assertThat(cli.call(arguments.toArray(new String[0]))).as(name).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).as(name).contains("Usage: millrace").contains("Example");
    assertThat(cli.out()).as(name).contains("  millrace " + name);
    command
        .getSubcommands()
        .forEach(
            (word, child) -> {
              List<String> longer = new ArrayList<>(path);
              longer.add(word);
              checkHelp(child, longer, seen);
            });
  }

  @Test
  void withoutArgumentsTheUsageIsShown() {
    assertThat(cli.call()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Usage: millrace").contains("cluster");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownCommandIsRefused() {
    assertThat(cli.call("rum")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains(
            "'rum' is not a command of `millrace`. Choose run, new, info, list,", "or history.")
        .contains("millrace --help");
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownFlagIsRefusedWithTheHelpCommand() {
    assertThat(cli.call("list", "--colour")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--colour").contains("`millrace list --help`");
  }

  @Test
  void clusterWithoutSubcommandIsRefusedWithTheSubcommands() {
    for (String[] arguments :
        new String[][] {{"cluster"}, {"cluster", "begin"}, {"cluster", "begin", "--slots"}}) {
      assertThat(cli.call(arguments)).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains("start, add, keys, bundle, join, limit, block, unblock, status or stop");
    }
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownOptionKeyIsRefusedWithASuggestion() {
    assertThat(cli.call("list", "-D", "rest.prot=1")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo("millrace: Unknown option 'rest.prot'. Did you mean 'rest.port'?\n");
  }

  @Test
  void versionIsShown() {
    assertThat(cli.call("--version")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).startsWith("Millrace ");
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void eachCommandRefusesAnUnknownOptionWithItsHelpCommand() {
    forEachCommand(
        (path, command) -> {
          assertThat(call(path, "--no-such-option")).as(path).isEqualTo(ExitCodes.USAGE);
          assertThat(cli.err())
              .as(path)
              .startsWith("millrace: ")
              .contains("See `millrace" + (path.isEmpty() ? "" : " ") + path + " --help`.");
          assertThat(cli.err().lines()).as(path).hasSize(2);
          assertThat(cli.out()).as(path).isEmpty();
        });
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void eachCommandWithOverridesRefusesAnUnknownKey() {
    List<String> checked = new ArrayList<>();
    forEachCommand(
        (path, command) -> {
          if (command.getCommandSpec().findOption("-D") != null && !path.contains("manager")) {
            checked.add(path);
            List<String> more = new ArrayList<>(List.of("-D", "rest.prot=1"));
            more.addAll(parameters(path));
            assertThat(call(path, more.toArray(new String[0]))).as(path).isEqualTo(ExitCodes.USAGE);
            assertThat(cli.err())
                .as(path)
                .isEqualTo("millrace: Unknown option 'rest.prot'. Did you mean 'rest.port'?\n");
          }
        });
    assertThat(checked)
        .contains("run", "info", "list", "cancel", "explain", "timeline", "memory", "history")
        .contains("cluster start", "cluster limit", "cluster block", "cluster unblock")
        .contains("session start", "session attach", "session list", "session stop");
  }

  private List<String> parameters(String path) {
    return switch (path) {
      case "run", "info" -> List.of(cli.program());
      case "cancel", "explain", "timeline" -> List.of("0".repeat(32));
      case "stop", "checkpoint", "savepoint", "savepoint trigger" -> List.of("0".repeat(32));
      case "savepoint inspect", "savepoint dispose" -> List.of("/nowhere");
      case "cluster unblock", "cluster block" -> List.of("w1");
      case "cluster join", "cluster bundle" -> List.of("/nowhere");
      case "cluster limit" -> List.of("--max-taskmanagers", "1", "-m", "127.0.0.1:1");
      default -> List.of();
    };
  }

  @Test
  void eachOptionAndParameterHasADescription() {
    forEachCommand(
        (path, command) -> {
          command
              .getCommandSpec()
              .options()
              .forEach(
                  option ->
                      assertThat(String.join(" ", option.description()))
                          .as(path + " " + option.longestName())
                          .endsWith("."));
          command
              .getCommandSpec()
              .positionalParameters()
              .forEach(
                  parameter ->
                      assertThat(String.join(" ", parameter.description()))
                          .as(path + " " + parameter.paramLabel())
                          .endsWith("."));
        });
  }

  @Test
  void helpFitsIntoAHundredColumns() {
    forEachCommand(
        (path, command) -> {
          call(path, "--help");
          assertThat(cli.out().lines()).as(path).allMatch(line -> line.length() <= 100);
          assertThat(cli.err()).as(path).isEmpty();
        });
  }

  @Test
  void shortHelpIsTheSame() {
    cli.call("list", "--help");
    String help = cli.out();
    assertThat(cli.call("list", "-h")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo(help);
  }

  @Test
  @Behaviour("A3: arguments after the jar belong to the program")
  void helpAfterTheJarBelongsToTheProgram() {
    assertThat(cli.call("info", cli.program(), "job", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("\"--help\"").doesNotContain("Usage:");
  }

  @Test
  void errorInMillraceIsReportedAsSuch() throws IOException {
    // A directory in place of the file with the address.
    Files.createDirectories(directory.resolve("cluster/rest"));
    assertThat(cli.call("list")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err().lines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("This is an error in Millrace. Run the command with --verbose");
    assertThat(cli.call("list", "--verbose")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("\tat io.millrace.cli.").doesNotContain("This is an error");
  }

  @Test
  void malformedConfigurationFileIsAUsageErrorThatNamesIt() throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Path file = Files.writeString(conf.resolve("config.yaml"), "rest: [unclosed\n");
    assertThat(cli.call("list")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).startsWith("millrace: " + file + " is not valid YAML").hasLineCount(1);
  }

  @Test
  void configurationDirectoryWithoutAFileIsAUsageError() {
    cli.with("MILLRACE_CONF_DIR", directory.toString());
    assertThat(cli.call("list")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: MILLRACE_CONF_DIR names "
                + directory
                + ", but there is no config.yaml in it. Name the directory that contains the file,"
                + " or unset the variable.\n");
  }

  @Test
  void unknownKeysOfTheFileAreAWarning() throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(
        conf.resolve("config.yaml"), "rest.prot: 1\ntaskmanager.memory.process.size: 2g\n");
    assertThat(cli.call("memory")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("rest.prot (did you mean rest.port?)").hasLineCount(1);
  }

  private int call(String path, String... more) {
    List<String> arguments = new ArrayList<>();
    if (!path.isEmpty()) {
      arguments.addAll(List.of(path.split(" ")));
    }
    arguments.addAll(List.of(more));
    return cli.call(arguments.toArray(new String[0]));
  }

  private void forEachCommand(BiConsumer<String, CommandLine> action) {
    forEachCommand("", Millrace.commands(cli.console()), action);
  }

  private static void forEachCommand(
      String path, CommandLine command, BiConsumer<String, CommandLine> action) {
    action.accept(path, command);
    command
        .getSubcommands()
        .forEach((name, child) -> forEachCommand((path + " " + name).strip(), child, action));
  }
}
