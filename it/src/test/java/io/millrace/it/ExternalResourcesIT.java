package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GpuJob;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** GPUs that a script discovers, on one TaskManager with two of them. */
class ExternalResourcesIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static String[] options(String name, String script) throws IOException {
    Path file = SHELL.directory().resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return new String[] {
      "-D",
      "external-resources=gpu",
      "-D",
      "external-resource.gpu.amount=2",
      "-D",
      "external-resource.gpu.param.discovery-script.path=" + file,
      "-D",
      "resourcemanager.standalone.start-up-time=1s"
    };
  }

  @Test
  @Behaviour("D7: external resources are counted, and each is handed out once")
  void functionsSeeTheIndexesOfTheirSlotAndUnfulfillableAmountsFail() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), GpuJob.class);
    try (Cluster cluster = SHELL.startCluster(options("found.sh", "echo 4; echo 7; echo 9"))) {
      assertThat(cluster.run(jar.toString(), "1", "1").succeeded().out())
          .contains("subtask 0 of 1 has [4]");
      assertThat(cluster.run(jar.toString(), "2", "1").succeeded().out())
          .filteredOn(line -> line.startsWith("subtask"))
          .hasSize(2)
          .anyMatch(line -> line.endsWith("[4]"))
          .anyMatch(line -> line.endsWith("[7]"));
      assertThat(cluster.run(jar.toString(), "1", "2").succeeded().out())
          .contains("subtask 0 of 1 has [4, 7]");

      assertThat(cluster.run(jar.toString(), "1", "3").refusedInOneLine())
          .contains("3 gpu")
          .contains("2 gpu");
      assertThat(
              cluster
                  .rest()
                  .get("/taskmanagers")
                  .path("taskmanagers")
                  .path(0)
                  .path("totalResource")
                  .path("extendedResources")
                  .path("gpu")
                  .asInt())
          .isEqualTo(2);
    }
  }

  @Test
  void workersWithExternalResourcesAreStartedOnDemand() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), GpuJob.class);
    List<String> options = new ArrayList<>(List.of("--elastic", "--max-taskmanagers", "1"));
    options.addAll(List.of(options("started.sh", "echo 1; echo 2")));
    try (Cluster cluster = SHELL.startCluster(options.toArray(String[]::new))) {
      assertThat(cluster.run(jar.toString(), "1", "2").succeeded().out())
          .contains("subtask 0 of 1 has [1, 2]");
      assertThat(cluster.run(jar.toString(), "1", "3").refusedInOneLine()).contains("3 gpu");
    }
  }

  @Test
  void taskManagerWithTooFewResourcesDoesNotStart() throws Exception {
    String[] options = options("few.sh", "echo 0");
    String[] line = new String[options.length + 1];
    line[0] = "taskmanager";
    System.arraycopy(options, 0, line, 1, options.length);
    Outcome refused = SHELL.millrace(line);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .anyMatch(
            error ->
                error.startsWith("TaskManager could not start: This machine has 1 of external")
                    && error.contains("external-resource.gpu.amount says 2"));
  }

  @Test
  void scriptEndsWithTheTaskManagerThatWaitsForIt() throws Exception {
    Path pid = SHELL.directory().resolve("script.pid");
    String[] options =
        options("slow.sh", "echo $$ >" + pid + ".new; mv " + pid + ".new " + pid + "; sleep 9");
    String[] line = new String[options.length + 1];
    line[0] = "taskmanager";
    System.arraycopy(options, 0, line, 1, options.length);
    Command taskManager = SHELL.start(Map.of(), line);
    Wait.untilTrue("the script runs", () -> Files.exists(pid));
    taskManager.terminate();
    taskManager.await();

    long script = Long.parseLong(Files.readString(pid).strip());
    // The ended process may still be a zombie.
    Wait.untilTrue(
        "the script has ended", () -> ProcessHandle.of(script).filter(Shell::isRunning).isEmpty());
    try (Stream<Path> files = Files.list(SHELL.temporaryFiles())) {
      assertThat(files).noneMatch(file -> file.toString().contains("discovery"));
    }
  }
}
