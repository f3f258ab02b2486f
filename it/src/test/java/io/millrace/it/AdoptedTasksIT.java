package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks of a job with checkpoints run on while their JobManager is replaced. */
class AdoptedTasksIT {
  private static final List<String> TASK_MANAGERS = List.of("taskmanager-1", "taskmanager-2");
  private static final int TASKS = 4;

  /** Tasks are kept for longer than any condition is waited for. */
  private static final List<String> ADOPTION =
      List.of(
          "--taskmanagers",
          "2",
          "--slots",
          "1",
          "-D",
          "execution.job-recovery.adopt-tasks.enabled=true",
          "-D",
          "execution.job-recovery.previous-worker.recovery.timeout=10 min",
          "-D",
          "taskmanager.slot.timeout=10 min");

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour(
      "G3: with adoption the tasks of a job run on while its JobManager is killed and restarted,"
          + " and its output is exact")
  void restartedJobManagerAdoptsTheTasks() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    try (Cluster cluster = SHELL.startCluster(ADOPTION.toArray(String[]::new))) {
      String job = submit(cluster, counts);
      Rest rest = cluster.rest();
      rest.awaitAllRunning(job, TASKS);
      rest.awaitCheckpoints(job, 2);
      Running before = Running.of(cluster, rest, job);

      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();

      assertAdopted(cluster, rest, job, before);
      finish(cluster, rest, job, counts);
    }
  }

  @Test
  @Behaviour(
      "G3: with adoption the tasks of a job run on while standbys take over from killed leaders,"
          + " and its output is exact")
  void standbysAdoptTheTasksOneAfterTheOther() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    List<String> options = new ArrayList<>(ADOPTION);
    try (TestingServer zooKeeper = new TestingServer(true)) {
      options.addAll(
          List.of(
              "--jobmanagers",
              "2",
              "-D",
              "high-availability.type=zookeeper",
              "-D",
              "high-availability.zookeeper.quorum=" + zooKeeper.getConnectString()));
      try (Cluster cluster = SHELL.startCluster(options.toArray(String[]::new))) {
        String job = submit(cluster, counts);
        Rest first = cluster.rest();
        Rest second =
            new Rest(Files.readString(pids(cluster).resolve("jobmanager-2.rest")).strip());
        boolean firstLeads = first.send("GET", "/overview", "").status() == 200;
        Rest leading = firstLeads ? first : second;
        Rest standby = firstLeads ? second : first;
        leading.awaitAllRunning(job, TASKS);
        leading.awaitCheckpoints(job, 2);
        Running before = Running.of(cluster, leading, job);

        takeOver(cluster, firstLeads ? "jobmanager" : "jobmanager-2", standby, job);
        assertAdopted(cluster, standby, job, before);
        cluster.millrace("cluster", "start").succeeded();
        Wait.untilTrue(
            "the restarted JobManager is a standby",
            () -> leading.send("GET", "/overview", "").status() == 307);

        takeOver(cluster, firstLeads ? "jobmanager-2" : "jobmanager", leading, job);
        assertAdopted(cluster, leading, job, before);
        finish(cluster, leading, job, counts);
      }
    }
  }

  private static void takeOver(Cluster cluster, String killed, Rest standby, String job)
      throws IOException {
    cluster.process(killed).destroyForcibly();
    long began = System.nanoTime();
    Wait.untilTrue(
        "the standby leads", () -> standby.send("GET", "/jobs/" + job, "").status() == 200);
    standby.awaitAllRunning(job, TASKS);
    System.out.println(
        killed
            + " killed; all tasks adopted after "
            + Duration.ofNanos(System.nanoTime() - began).toMillis()
            + " ms");
  }

  private static Path pids(Cluster cluster) {
    return cluster.directory().resolve("pids");
  }

  private static String submit(Cluster cluster, ExactCounts counts) throws IOException {
    List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
    options.addAll(List.of("-p", "2", "-D", "execution.checkpointing.interval=300 ms"));
    return cluster.submit(counts.job(SLOW, options));
  }

  /**
   * What shows that tasks were not started again.
   *
   * @param processes of the TaskManagers
   * @param attempts of each subtask, by vertex
   * @param deployments how often each TaskManager was given tasks of the job
   */
  private record Running(
      List<ProcessHandle> processes,
      Map<String, List<Integer>> attempts,
      Map<String, Long> deployments) {

    static Running of(Cluster cluster, Rest rest, String job) throws IOException {
      List<ProcessHandle> processes = new ArrayList<>();
      Map<String, Long> deployments = new TreeMap<>();
      for (String name : TASK_MANAGERS) {
        processes.add(cluster.process(name));
        deployments.put(name, deployments(cluster, name, job));
      }
      Map<String, List<Integer>> attempts = new TreeMap<>();
      for (JsonNode vertex : rest.job(job).path("vertices")) {
        String id = vertex.path("id").asText();
        List<Integer> ofVertex = new ArrayList<>();
        rest.get("/jobs/" + job + "/vertices/" + id)
            .path("subtasks")
            .forEach(subtask -> ofVertex.add(subtask.path("attempt").asInt()));
        attempts.put(id, ofVertex);
      }
      return new Running(processes, attempts, deployments);
    }

    private static long deployments(Cluster cluster, String worker, String job) {
      Path log = cluster.directory().resolve("log").resolve(worker + ".log");
      try {
        return Files.readAllLines(log).stream()
            .filter(line -> line.contains("Job " + job + " deploys "))
            .count();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void assertAdopted(Cluster cluster, Rest rest, String job, Running before)
      throws IOException {
    rest.awaitAllRunning(job, TASKS);
    assertThat(Running.of(cluster, rest, job)).isEqualTo(before);
    assertThat(before.deployments()).hasSize(2).allSatisfy((worker, n) -> assertThat(n).isOne());
    assertThat(before.attempts().values()).allMatch(attempts -> attempts.equals(List.of(0, 0)));
    long completed = rest.completedCheckpoints(job);
    rest.awaitCheckpoints(job, completed + 2);
    assertThat(rest.failures(job)).as("failures").isZero();
    assertThat(rest.checkpoints(job).path("counts").path("restored").asInt())
        .as("restored checkpoints")
        .isZero();
    assertThat(Running.of(cluster, rest, job)).as("also after checkpoints").isEqualTo(before);
  }

  /** The job goes on from a savepoint at full speed, until all records are counted. */
  private static void finish(Cluster cluster, Rest rest, String job, ExactCounts counts)
      throws IOException {
    Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
    String stopped =
        cluster
            .millrace("stop", job, "-m", rest.address(), "-p", savepoints.toString())
            .savepointPath();
    cluster.run(counts.job(FAST, "-m", rest.address(), "-p", "2", "-s", stopped)).succeeded();
    counts.assertExact();
  }
}
