package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.ExitsInATask;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes of a cluster that are killed while a job runs. */
class LostProcessesIT {
  /**
   * Heartbeats cannot detect a loss during a test. The benchmarks measure how long a restart takes.
   */
  static final String NO_HEARTBEAT_TIMEOUT = "heartbeat.timeout=10 min";

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("D5: the broken connection of a killed process is noticed in about a second")
  @Behaviour("D5: a killed TaskManager is replaced or its job uses spare slots at once")
  void jobRestartsOnSpareSlotsOrWhenATaskManagerRegisters() throws Exception {
    try (Cluster cluster =
        SHELL.startCluster("--taskmanagers", "2", "--slots", "2", "-D", NO_HEARTBEAT_TIMEOUT)) {
      String job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "restart-strategy.type=fixed-delay",
              "-D",
              "restart-strategy.fixed-delay.attempts=2",
              Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(job, 4);
      String first = cluster.busyTaskManager();

      cluster.kill(first);
      awaitAttempt(cluster, job, 1);
      assertThat(cluster.rest().failures(job)).isEqualTo(1);
      String second = cluster.busyTaskManager();
      assertThat(second).isNotEqualTo(first);
      assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(1);

      cluster.kill(second);
      Wait.untilTrue("the loss is noticed", () -> cluster.rest().registeredTaskManagers() == 0);
      Wait.untilTrue("list shows what the job waits for", () -> isListedAsWaiting(cluster, job));
      assertThat(cluster.rest().state(job)).isIn("RESTARTING", "RUNNING");
      assertThat(Rest.tasks(cluster.rest().job(job), "RUNNING")).isZero();

      cluster.millrace("cluster", "add").succeeded();
      awaitAttempt(cluster, job, 2);
      assertThat(cluster.rest().failures(job)).isEqualTo(2);
      assertThat(cluster.listed(job)).contains("RUNNING").doesNotContain("waiting");

      // Each added TaskManager replaces a dead one.
      assertThat(cluster.millrace("cluster", "status").out())
          .filteredOn(line -> line.contains("dead"))
          .hasSize(1);
      cluster.millrace("cluster", "add").succeeded();
      assertThat(cluster.millrace("cluster", "status").succeeded().out())
          .filteredOn(line -> line.startsWith("taskmanager-"))
          .hasSize(2)
          .allMatch(line -> line.contains("running"));
      cluster.millrace("cancel", job).succeeded();
    }
  }

  @Test
  void systemExitInATaskIsReported() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      Path jar = ProgramJar.of(SHELL.directory(), ExitsInATask.class);
      Outcome outcome = cluster.millrace("run", "-t", "remote", jar.toString());
      assertThat(outcome.code()).isEqualTo(3);
      assertThat(outcome.refusedInOneLine()).contains("Code of a job called System.exit there");
    }
  }

  @Test
  void jobWithoutRestartsFailsWithItsTaskManager() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      Command run =
          cluster.start("run", "-t", "remote", Shell.example("rate-counter.jar").toString());
      String line = run.awaitLine(text -> text.contains("submitted with JobID"));
      String job = line.substring(line.lastIndexOf(' ') + 1);
      cluster.rest().awaitAllRunning(job, 2);
      String busy = cluster.busyTaskManager();
      cluster.kill(busy);
      Outcome outcome = run.await();
      assertThat(outcome.code()).isEqualTo(3);
      assertThat(outcome.refusedInOneLine()).contains(job, "failed", busy);

      // The other TaskManager of the cluster continues.
      assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
    }
  }

  @Test
  @Behaviour(
      "G3: after a JobManager restart TaskManagers are reused, jobs run again and a finished one"
          + " does not")
  void taskManagersRegisterAtARestartedJobManager() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      cluster.kill("jobmanager");
      // Without an address the command uses this cluster, although it is down.
      assertThat(cluster.millrace("list").refusedInOneLine()).contains(cluster.rest().address());
      assertThat(cluster.millrace("list", "-m", cluster.rest().address()).refusedInOneLine())
          .contains(cluster.rest().address());

      Command again =
          SHELL.start(
              Map.of("MILLRACE_CONF_DIR", cluster.directory().resolve("conf").toString()),
              "jobmanager");
      again.awaitLine(line -> line.contains("serves REST at http://" + cluster.rest().address()));
      Wait.untilTrue(
          "both TaskManagers are registered again",
          () -> cluster.rest().registeredTaskManagers() == 2);
      Outcome counted =
          cluster.millrace(
              "run",
              "-m",
              cluster.rest().address(),
              "-p",
              "2",
              Shell.example("word-count.jar").toString());
      assertThat(counted.succeeded().out()).hasSize(176);

      again.terminate();
      again.await();
    }
  }

  private static boolean isListedAsWaiting(Cluster cluster, String job) {
    try {
      return cluster.listed(job).matches("(?s).*waiting: .*slots.*");
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Waits until every subtask runs in its n-th attempt, so that no stale state is accepted. */
  private static void awaitAttempt(Cluster cluster, String job, int attempt) {
    Wait.untilTrue(
        "all tasks of " + job + " run in attempt " + attempt,
        () -> {
          JsonNode now = cluster.rest().job(job);
          return now.path("state").asText().equals("RUNNING")
              && Rest.tasks(now, "RUNNING") == 4
              && cluster.rest().failures(job) == attempt
              && StreamSupport.stream(now.path("vertices").spliterator(), false)
                  .allMatch(vertex -> isInAttempt(cluster, job, vertex, attempt));
        });
  }

  private static boolean isInAttempt(Cluster cluster, String job, JsonNode vertex, int attempt) {
    JsonNode subtasks =
        cluster
            .rest()
            .get("/jobs/" + job + "/vertices/" + vertex.path("id").asText())
            .path("subtasks");
    return StreamSupport.stream(subtasks.spliterator(), false)
        .allMatch(
            subtask ->
                subtask.path("attempt").asInt() == attempt
                    && subtask.path("status").asText().equals("RUNNING"));
  }
}
