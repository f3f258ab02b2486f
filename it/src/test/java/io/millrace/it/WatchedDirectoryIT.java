package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.WatchesDirectory;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files that come while the job runs are read once, also when TaskManagers are killed. */
class WatchedDirectoryIT {
  private static final int LINES = 300;

  @RegisterExtension static final Shell SHELL = new Shell();

  /** Adds a file at once, as a writer should that does not want half of it to be read. */
  private static List<String> add(Path input, String name) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      lines.add(name + " line " + i);
    }
    Path hidden = input.resolve("." + name);
    Files.write(hidden, lines);
    Files.move(hidden, input.resolve(name));
    return lines;
  }

  private static List<String> committed(Path output) {
    List<String> lines = new ArrayList<>();
    if (!Files.exists(output)) {
      return lines;
    }
    try (Stream<Path> files = Files.list(output)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith("part-")) {
          lines.addAll(Files.readAllLines(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  private static String anyBusyTaskManager(Cluster cluster) {
    return Wait.until(
        "a TaskManager has tasks",
        () -> {
          for (JsonNode worker : cluster.rest().get("/taskmanagers").path("taskmanagers")) {
            if (worker.path("freeSlots").asInt() < worker.path("slotsNumber").asInt()) {
              return Optional.of(worker.path("id").asText());
            }
          }
          return Optional.empty();
        });
  }

  @Test
  @Behaviour("H4: files that are added while a job runs are read once, whatever is killed")
  void filesThatAreAddedAreReadOnceAlthoughATaskManagerIsKilled() throws Exception {
    Path input = Files.createTempDirectory(SHELL.directory(), "input");
    Path output = SHELL.directory().resolve("copies-" + input.getFileName());
    Path program = ProgramJar.of(SHELL.directory(), WatchesDirectory.class);
    List<String> expected = new ArrayList<>();
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      expected.addAll(add(input, "first"));
      String job =
          cluster.submit("-p", "2", program.toString(), input.toString(), output.toString());
      Wait.untilTrue("the first file is copied", () -> committed(output).size() >= LINES);
      for (int round = 0; round < 2; round++) {
        expected.addAll(add(input, "before-" + round));
        cluster.kill(anyBusyTaskManager(cluster));
        expected.addAll(add(input, "after-" + round));
        int lines = expected.size();
        Wait.untilTrue(lines + " lines are committed", () -> committed(output).size() >= lines);
        if (round == 0) {
          cluster.millrace("cluster", "add").succeeded();
        }
      }
      cluster.millrace("stop", job, "-p", SHELL.directory().toString()).succeeded();
      assertThat(cluster.rest().state(job)).isEqualTo("FINISHED");
    }
    assertThat(committed(output)).containsExactlyInAnyOrderElementsOf(expected);
  }
}
