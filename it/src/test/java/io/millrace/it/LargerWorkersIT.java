package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.DeclaringJob;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster whose default TaskManagers are too small for the declared resources of a job. */
class LargerWorkersIT {
  private static final String[] OPTIONS = {
    "--elastic",
    "--max-taskmanagers",
    "4",
    "--slots",
    "2",
    "-D",
    "taskmanager.memory.task.heap.size=64m",
    "-D",
    "taskmanager.memory.managed.size=32m",
    "-D",
    "resourcemanager.taskmanager-timeout=1 s"
  };

  private static final int USUAL_HEAP = 64;
  private static final int LARGE_HEAP = 300;
  private static final String FOREVER = "1000000000000";

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("D8: the process size of a worker follows from the profiles of its slots")
  @Behaviour(
      "D8: a declared profile that does not fit a default worker gets a worker of the exact size")
  void largerTaskManagersAreStartedForDeclaredResourcesAndReleased() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), DeclaringJob.class);
    try (Cluster cluster = SHELL.startCluster(OPTIONS)) {
      String large = cluster.submit(jar.toString(), "300", "all", FOREVER, "1024");
      cluster.rest().awaitAllRunning(large, 3);
      assertThat(heaps(cluster)).containsExactly(USUAL_HEAP, LARGE_HEAP, LARGE_HEAP);
      workers(cluster, LARGE_HEAP).forEach(worker -> assertMadeToMeasure(cluster, worker));

      String usual = cluster.submit("-p", "2", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(usual, 4);
      assertThat(heaps(cluster)).containsExactly(USUAL_HEAP, USUAL_HEAP, LARGE_HEAP, LARGE_HEAP);

      String another = cluster.submit(jar.toString(), "300", "all", FOREVER, "1024");
      Wait.untilTrue(
          "list shows that the limit is reached",
          () -> listed(cluster, another).contains("process.max-taskmanagers allows 4"));
      String explained = String.join(" ", cluster.millrace("explain", another).succeeded().out());
      assertThat(explained.replaceAll("\\s+", " "))
          .contains("of 0.75 cpu, 300 mb heap, 1.00 gb managed")
          .contains("It takes 2 more workers, 6 in all, and process.max-taskmanagers allows 4");
      cluster.millrace("cancel", another).succeeded();

      cluster.millrace("cancel", large).succeeded();
      Wait.untilTrue("larger workers are released", () -> !heaps(cluster).contains(LARGE_HEAP));
      assertThat(heaps(cluster)).isNotEmpty();
      cluster.millrace("cancel", usual).succeeded();
      Wait.untilTrue("all workers are released", () -> started(cluster).isEmpty());
    }
  }

  @Test
  @Behaviour("D8: a worker of a previous attempt counts with the spec it was started with")
  void largerTaskManagersAreRecoveredAfterARestart() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), DeclaringJob.class);
    try (Cluster cluster = SHELL.startCluster(OPTIONS)) {
      String job = cluster.submit(jar.toString(), "300", "all", FOREVER, "1024");
      cluster.rest().awaitAllRunning(job, 3);
      List<String> before = started(cluster);
      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();
      cluster.rest().awaitAllRunning(job, 3);
      assertThat(started(cluster)).isEqualTo(before);
    }
  }

  @Test
  @Behaviour(
      "D8: a worker larger than the driver can start is refused with the numbers instead of being"
          + " requested")
  void resourcesBeyondThisMachineFailWithTheNumbers() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), DeclaringJob.class);
    try (Cluster cluster = SHELL.startCluster(OPTIONS)) {
      assertThat(cluster.run(jar.toString(), "40000000", "all", "10").refusedInOneLine())
          .contains("needs 2 slots of 0.75 cpu, 39062.50 gb heap")
          .containsPattern("would take 0\\.75 cpu and \\d+\\.\\d+ gb of memory; this machine has");
      assertThat(started(cluster)).isEmpty();
    }
  }

  /** The JVM has the arguments of a process with exactly one slot of that size. */
  private static void assertMadeToMeasure(Cluster cluster, JsonNode worker) {
    try {
      assertThat(worker.path("slotsNumber").asInt()).isEqualTo(1);
      assertThat(worker.path("totalResource").path("cpuCores").asDouble()).isEqualTo(0.75);
      assertThat(worker.path("totalResource").path("managedMemory").asInt()).isEqualTo(1024);
      Outcome shown =
          SHELL.millrace(
              "memory",
              "--json",
              "-D",
              "taskmanager.memory.task.heap.size=300m",
              "-D",
              "taskmanager.memory.managed.size=1g");
      JsonNode memory = new ObjectMapper().readTree(String.join("\n", shown.succeeded().out()));
      String pid = String.valueOf(cluster.process(worker.path("id").asText()).pid());
      List<String> arguments =
          List.of(Files.readString(Path.of("/proc", pid, "cmdline")).split("\0", -1));
      assertThat(memory.path("jvm-args")).isNotEmpty();
      memory.path("jvm-args").forEach(flag -> assertThat(arguments).contains(flag.asText()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The task heap of each registered worker in MB, in ascending order. */
  private static List<Integer> heaps(Cluster cluster) {
    List<Integer> heaps = new ArrayList<>();
    all(cluster).forEach(worker -> heaps.add(heap(worker)));
    return heaps.stream().sorted().toList();
  }

  private static List<JsonNode> workers(Cluster cluster, int heap) {
    return all(cluster).stream().filter(worker -> heap(worker) == heap).toList();
  }

  private static List<JsonNode> all(Cluster cluster) {
    List<JsonNode> workers = new ArrayList<>();
    cluster.rest().get("/taskmanagers").path("taskmanagers").forEach(workers::add);
    return workers;
  }

  private static int heap(JsonNode worker) {
    return worker.path("totalResource").path("taskHeapMemory").asInt();
  }

  private static String listed(Cluster cluster, String job) {
    try {
      return cluster.listed(job);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> started(Cluster cluster) {
    try {
      return cluster.started();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
