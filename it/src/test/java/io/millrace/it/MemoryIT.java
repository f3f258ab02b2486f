package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes have the memory that {@code millrace memory} prints. */
class MemoryIT {
  private static final String SIZE = "taskmanager.memory.process.size=1500m";

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("F1: processes are started with the flags that the memory command shows")
  void processesOfAClusterHaveTheJvmArgumentsOfTheMemoryCommand() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--slots", "2", "-D", SIZE)) {
      JsonNode taskManager = memory("-D", SIZE);
      assertStartedWith(cluster.process("taskmanager-1").pid(), taskManager);
      assertStartedWith(cluster.process("jobmanager").pid(), memory("--process", "jobmanager"));

      JsonNode shown = cluster.rest().get("/taskmanagers").path("taskmanagers").path(0);
      JsonNode parts = shown.path("memoryConfiguration");
      assertThat(parts.path("totalProcessMemory")).isEqualTo(taskManager.path("process"));
      assertThat(parts.path("taskHeap")).isEqualTo(taskManager.path("task-heap"));
      assertThat(parts.path("networkMemory")).isEqualTo(taskManager.path("network"));
      assertThat(shown.path("hardware").path("managedMemory"))
          .isEqualTo(taskManager.path("managed"));
    }
  }

  @Test
  @Behaviour("F1: processes are started with the flags that the memory command shows")
  void taskManagerInTheForegroundHasTheJvmArgumentsOfTheMemoryCommand() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--slots", "1")) {
      Map<String, String> environment =
          Map.of("MILLRACE_CONF_DIR", cluster.directory().resolve("conf").toString());
      Command command =
          SHELL.start(
              environment, "taskmanager", "-D", SIZE, "-D", "taskmanager.resource-id=forward");
      try {
        Wait.untilTrue("it registers", () -> cluster.rest().registeredTaskManagers() == 2);
        assertStartedWith(command.pid(), memory("-D", SIZE));
      } finally {
        command.terminate();
        command.await();
      }
    }
  }

  @Test
  @Behaviour("F1: contradictory sizes are refused with the options and the numbers")
  void taskManagerInTheForegroundRejectsContradictorySizes() throws Exception {
    Outcome refused = SHELL.millrace("taskmanager", "-D", "taskmanager.memory.process.size=100m");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.refusedInOneLine()).contains("taskmanager.memory.process.size (100mb)");
  }

  private static JsonNode memory(String... options) throws IOException {
    List<String> line = new ArrayList<>(List.of("memory", "--json"));
    line.addAll(List.of(options));
    Outcome shown = SHELL.millrace(line.toArray(String[]::new)).succeeded();
    return new ObjectMapper().readTree(String.join("\n", shown.out()));
  }

  private static void assertStartedWith(long pid, JsonNode memory) throws IOException {
    List<String> arguments =
        List.of(Files.readString(Path.of("/proc", String.valueOf(pid), "cmdline")).split("\0", -1));
    assertThat(memory.path("jvm-args")).isNotEmpty();
    memory.path("jvm-args").forEach(flag -> assertThat(arguments).contains(flag.asText()));
    // The JVM silently ignores a CDS archive that does not match its arguments.
    assertThat(Files.readString(Path.of("/proc", String.valueOf(pid), "maps")))
        .contains("server.jsa");
  }
}
