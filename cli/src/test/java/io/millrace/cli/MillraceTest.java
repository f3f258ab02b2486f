package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.common.ExitCodes;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
            "info",
            "list",
            "cancel",
            "explain",
            "timeline",
            "cluster",
            "cluster start",
            "cluster add",
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
        .contains("'rum' is not a command of `millrace`. Choose run, info, list,", "or history.")
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
      assertThat(cli.err()).contains("start, add, limit, block, unblock, status or stop");
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
}
