package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.CommandLineHarness;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmFlagsTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  void readsOverridesInAllSpellings() {
    assertThat(
            JvmFlags.overrides(
                List.of("-D", "a=1", "-Db=2", "-yD", "c=3", "-yDd=4", "--verbose", "-p", "4")))
        .containsExactly("a=1", "b=2", "c=3", "d=4");
  }

  @Test
  void overridesAfterTheJarBelongToTheProgram() {
    assertThat(JvmFlags.overrides(List.of("-Da=1", "x.jar", "-Db=2", "-D", "c=3")))
        .containsExactly("a=1");
  }

  @Test
  void missingValueIsLeftToTheCommand() {
    assertThat(JvmFlags.overrides(List.of("-Da=1", "-D"))).containsExactly("a=1");
  }

  @Test
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void serversHaveTheFlagsOfTheirMemoryAndTheirOptions() {
    List<String> flags =
        JvmFlags.of(
            cli.console(),
            "taskmanager",
            List.of(
                "-D",
                "taskmanager.memory.process.size=2g",
                "-D",
                "env.java.opts.all=-Da=1 -Db=2",
                "-Denv.java.opts.taskmanager=-Dc=3",
                "-Denv.java.opts.jobmanager=-Dd=4"));
    assertThat(flags)
        .anyMatch(flag -> flag.startsWith("-Xmx"))
        .anyMatch(flag -> flag.startsWith("-XX:MaxDirectMemorySize="))
        .endsWith("-Da=1", "-Db=2", "-Dc=3")
        .doesNotContain("-Dd=4");
  }

  @Test
  void clientHasOnlyItsOptions() {
    assertThat(
            JvmFlags.of(
                cli.console(),
                JvmFlags.CLIENT,
                List.of("-Denv.java.opts.client=-Xmx1g", "-Denv.java.opts.taskmanager=-Dc=3")))
        .containsExactly("-Xmx1g");
  }

  @Test
  void unknownKeyIsAnErrorOfTheLauncher() {
    assertThatThrownBy(() -> JvmFlags.of(cli.console(), "jobmanager", List.of("-Drest.prot=1")))
        .isInstanceOf(MillraceException.class)
        .hasMessage("Unknown option 'rest.prot'. Did you mean 'rest.port'?");
  }

  @Test
  void contradictingSizesAreAnErrorOfTheLauncher() {
    assertThatThrownBy(
            () ->
                JvmFlags.of(
                    cli.console(),
                    "taskmanager",
                    List.of(
                        "-Dtaskmanager.memory.process.size=1g",
                        "-Dtaskmanager.memory.flink.size=1g")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("taskmanager.memory.process.size");
  }
}
