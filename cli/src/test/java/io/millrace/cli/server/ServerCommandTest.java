package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.common.CommonMixin;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ServerCommandTest {
  private final List<List<String>> started = new ArrayList<>();

  @Test
  void serverGetsTheOverridesInOrderAndDecidesTheExitCode() {
    assertThat(execute(5, "-D", "a=1", "-Db=2", "-D", "a=3")).isEqualTo(5);
    assertThat(started).containsExactly(List.of("a=1", "b=2", "a=3"));
  }

  @Test
  void serverStartsWithoutOptions() {
    assertThat(execute(0)).isZero();
    assertThat(started).containsExactly(List.of());
  }

  @Test
  void serverDoesNotStartWithAParameterOrAnUnknownOption() {
    assertThat(execute(0, "now")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(execute(0, "--port", "1")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(execute(0, "-D")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(started).isEmpty();
  }

  private int execute(int exitCode, String... arguments) {
    CommandLine command =
        CommonMixin.command(
            common ->
                new TestServer(
                    overrides -> {
                      started.add(overrides);
                      return exitCode;
                    },
                    common));
    command.setErr(new PrintWriter(Writer.nullWriter()));
    return command.execute(arguments);
  }

  @Command(name = "server")
  private static final class TestServer extends ServerCommand {
    TestServer(ToIntFunction<List<String>> server, CommonMixin common) {
      super(server, common);
    }
  }
}
