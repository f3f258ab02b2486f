package io.millrace.cli.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.server.JvmFlags;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryCommandTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() throws IOException {
    cli = new CommandLineHarness(directory);
    // As the distribution has it.
    Files.createDirectory(directory.resolve("conf"));
    Files.copy(Path.of("../dist/src/main/conf/config.yaml"), directory.resolve("conf/config.yaml"));
  }

  @Test
  @Behaviour("F1: the memory command shows the sizes of both processes")
  void shippedConfigurationSizesBothProcesses() throws IOException {
    assertThat(cli.call("memory", "--json")).isEqualTo(ExitCodes.OK);
    JsonNode taskManager = new ObjectMapper().readTree(cli.out());
    assertThat(taskManager.fieldNames())
        .toIterable()
        .containsExactly(
            "process",
            "flink",
            "framework-heap",
            "framework-off-heap",
            "task-heap",
            "task-off-heap",
            "network",
            "managed",
            "jvm-metaspace",
            "jvm-overhead",
            "jvm-args");
    assertThat(taskManager.get("process").longValue()).isEqualTo(1728L << 20);
    assertThat(taskManager.get("task-heap").longValue()).isEqualTo(402653174);
    assertThat(taskManager.get("jvm-args").get(0).textValue()).isEqualTo("-Xmx536870902");

    assertThat(cli.call("memory", "--process", "jobmanager", "--json")).isEqualTo(ExitCodes.OK);
    JsonNode jobManager = new ObjectMapper().readTree(cli.out());
    assertThat(jobManager.fieldNames())
        .toIterable()
        .containsExactly(
            "process", "flink", "heap", "off-heap", "jvm-metaspace", "jvm-overhead", "jvm-args");
    assertThat(jobManager.get("heap").longValue()).isEqualTo(1 << 30);
  }

  @Test
  void totalOnTheCommandLineReplacesTheShippedOne() throws IOException {
    assertThat(cli.call("memory", "--json", "-D", "taskmanager.memory.flink.size=4g"))
        .isEqualTo(ExitCodes.OK);
    assertThat(new ObjectMapper().readTree(cli.out()).get("flink").longValue()).isEqualTo(4L << 30);
  }

  @Test
  @Behaviour("F1: the memory command shows the sizes of both processes")
  void textShowsNestedBoxes() {
    assertThat(cli.call("memory")).isEqualTo(ExitCodes.OK);
    List<String> lines = cli.out().lines().toList();
    assertThat(lines.get(0))
        .startsWith("+- taskmanager process ---")
        .endsWith("--- 1.69 gb (1811939328 bytes) -+");
    assertThat(lines).anyMatch(line -> line.matches("\\| \\| \\|    network +128 mb .*"));
    assertThat(lines).anyMatch(line -> line.matches("\\| \\| \\|    task-off-heap +0 bytes .*"));
    assertThat(lines.subList(0, lines.size() - 1)).allMatch(line -> line.length() == 76);
    assertThat(lines.get(lines.size() - 1)).startsWith("JVM: -Xmx536870902 -Xms536870902 ");
  }

  @Test
  @Behaviour("F1: contradictory sizes are refused with the options and the numbers")
  void contradictionIsOneLineAndExitCode2() {
    assertThat(
            cli.call(
                "memory",
                "--json",
                "-D",
                "taskmanager.memory.process.size=1g",
                "-D",
                "taskmanager.memory.flink.size=1g"))
        .isEqualTo(2);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err())
        .contains("taskmanager.memory.process.size (1gb)")
        .contains("taskmanager.memory.flink.size (1gb)");
  }

  @Test
  void valueThatIsNoSizeIsOneLineAndExitCode2() {
    assertThat(cli.call("memory", "-D", "taskmanager.memory.process.size=much")).isEqualTo(2);
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).contains("taskmanager.memory.process.size").contains("'much'");
    assertThat(cli.call("memory", "-D", "taskmanager.numberOfTaskSlots=0")).isEqualTo(2);
    assertThat(cli.err())
        .contains("'taskmanager.numberOfTaskSlots' is 0, but it takes 1 to 32768.");
  }

  @Test
  void otherProcessIsRefused() {
    assertThat(cli.call("memory", "--process", "client")).isEqualTo(2);
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).contains("taskmanager or jobmanager, not 'client'");
  }

  @Test
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void launcherSeesOverridesAsTheCommandDoes() {
    assertThat(JvmFlags.overrides(List.of("-D", "a=1", "--verbose", "-Db=2", "-D", "c=3=4", "-D")))
        .containsExactly("a=1", "b=2", "c=3=4");
  }

  @Test
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void launcherReadsJvmOptionsInAllFormats() throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(
        conf.resolve("config.yaml"),
        """
        env: {java: {opts: {all: -Da=1 -Db=2, client: -Dc=3, jobmanager: -Dd=4}}}
        unknown.key: 1
        """);
    assertThat(JvmFlags.of(cli.console(), JvmFlags.CLIENT, List.of("x")))
        .containsExactly("-Da=1", "-Db=2", "-Dc=3");
    assertThat(
            JvmFlags.of(
                cli.console(),
                JvmFlags.CLIENT,
                List.of(
                    "-D", "env.java.opts.client=-De=5", "a.jar", "-D", "env.java.opts.all=-Dno=1")))
        .containsExactly("-Da=1", "-Db=2", "-De=5");
    assertThat(JvmFlags.of(cli.console(), "jobmanager", List.of()))
        .endsWith("-Da=1", "-Db=2", "-Dd=4")
        .anyMatch(flag -> flag.startsWith("-Xmx"));
  }
}
