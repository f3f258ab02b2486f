package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused before there is a JobManager; the rest needs processes. */
class ApplicationCommandTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  @Behaviour(
      "C4: a program that cannot be loaded ends the process with code 1 before services start")
  void programThatCannotBeLoadedIsOneLineAndOne() throws IOException {
    assertThat(application("gone.jar")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).startsWith("millrace: The jar ").hasLineCount(1);
    assertThat(application("-c", "no.Such", cli.program())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("Class no.Such is not in").hasLineCount(1);
  }

  /** Of a server process, 2 would say that it ran and could not go on. */
  @Test
  void optionsThatCannotBeAreAFailureToStart() throws IOException {
    assertThat(application("-p", "0", cli.program())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("is 0, but it takes 1 to 32768").hasLineCount(1);
    assertThat(application("-D", "rest.prot=1", cli.program())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("rest.prot").hasLineCount(1);
    assertThat(cli.call("jobmanager", "-D", "rest.prot=1", "application", cli.program()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("rest.prot").hasLineCount(1);
  }

  @Test
  void optionsOfTheProgramAreNotThoseOfTheJvm() {
    assertThat(
            JvmFlags.ofCommand(
                List.of("jobmanager", "application", "-c", "a.B", "-Dx=1", "p.jar", "-D", "y=2")))
        .containsExactly("jobmanager", "application", "-c", "a.B", "-Dx=1");
    assertThat(JvmFlags.ofCommand(List.of("jobmanager", "-D", "x=1", "application", "-p")))
        .containsExactly("jobmanager", "-D", "x=1", "application", "-p");
    assertThat(JvmFlags.ofCommand(List.of("jobmanager", "-D", "x=1")))
        .containsExactly("jobmanager", "-D", "x=1");
  }

  private int application(String... arguments) {
    String[] line = new String[arguments.length + 2];
    line[0] = "jobmanager";
    line[1] = "application";
    System.arraycopy(arguments, 0, line, 2, arguments.length);
    return cli.call(line);
  }
}
