package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster that starts and releases TaskManagers on demand. */
class ElasticClusterIT {
  /** Small, because several of them run beside other tests. */
  private static final String SIZE = "taskmanager.memory.process.size=1g";

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("D7: an idle worker is released after resourcemanager.taskmanager-timeout")
  @Behaviour("D5: a killed TaskManager is replaced or its job uses spare slots at once")
  void workersAreStartedOnDemandReplacedAndReleased() throws Exception {
    try (Cluster cluster =
        elastic(
            4,
            2,
            "resourcemanager.taskmanager-timeout=1 s",
            "slot.request.timeout=10 min",
            LostProcessesIT.NO_HEARTBEAT_TIMEOUT)) {
      assertThat(cluster.started()).isEmpty();
      String job = submit(cluster, 8);
      cluster.rest().awaitAllRunning(job, 16);
      assertThat(cluster.registered()).hasSize(4).isEqualTo(cluster.started());
      List<String> status = cluster.millrace("cluster", "status").succeeded().out();
      cluster
          .registered()
          .forEach(
              worker ->
                  assertThat(status)
                      .anyMatch(line -> line.matches(worker + " +\\d+ +running +2 +0")));
      assertStartedWithTheComputedMemory(cluster, cluster.started().get(0));

      replacesAKilledWorker(cluster, job);

      cluster.millrace("cancel", job).succeeded();
      Wait.untilTrue("idle workers go", () -> started(cluster).isEmpty());
      assertThat(cluster.registered()).isEmpty();

      waitsForTheLimit(cluster);
    }
  }

  private static void replacesAKilledWorker(Cluster cluster, String job) throws IOException {
    List<String> before = cluster.registered();
    String victim = before.get(1);
    cluster.kill(victim);
    Wait.untilTrue(
        "another worker is up",
        () -> cluster.registered().size() == 4 && !cluster.registered().contains(victim));
    awaitAttempt(cluster, job, 1, 16);
    assertThat(cluster.registered())
        .containsAll(before.stream().filter(b -> !b.equals(victim)).toList());
    assertThat(cluster.started()).doesNotContain(victim);
  }

  private static void waitsForTheLimit(Cluster cluster) throws IOException {
    String job = submit(cluster, 9);
    Wait.untilTrue("the allowed four are there", () -> cluster.registered().size() == 4);
    Wait.untilTrue(
        "list shows that a fifth worker is needed",
        () -> listed(cluster, job).matches("(?s).*waiting: .*process\\.max-taskmanagers.*"));
    assertThat(String.join("\n", cluster.millrace("explain", job).succeeded().out()))
        .contains("5th worker", "process.max-taskmanagers allows 4");
    assertThat(cluster.started()).hasSize(4);
    assertThat(cluster.millrace("cluster", "limit", "--max-taskmanagers", "5").succeeded().out())
        .contains("The cluster has up to 5 TaskManagers");
    cluster.rest().awaitAllRunning(job, 18);
    assertThat(cluster.registered()).hasSize(5);
    assertThat(cluster.listed(job)).doesNotContain("waiting");
  }

  @Test
  @Behaviour("D8: failed starts and early deaths are retried after a pause")
  void failedStartsAreRetriedUntilTheCauseIsRemoved() throws Exception {
    Path options = SHELL.directory().resolve("missing-options");
    try (Cluster cluster = brokenBy(options, "resourcemanager.start-worker.max-failure-rate=100")) {
      String job = submit(cluster, 2);
      awaitListed(cluster, job, "could not open `" + options + "'", "is retried every");

      replace(options, "-XX:+NoSuchFlag\n");
      awaitListed(cluster, job, "Unrecognized VM option 'NoSuchFlag'", "exit code 1");
      assertThat(String.join(" ", cluster.millrace("explain", job).succeeded().out()))
          .contains("NoSuchFlag");

      // The JVM waits for a debugger and never registers.
      replace(
          options, "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0\n");
      awaitListed(cluster, job, "did not register within 3 s");

      replace(options, "");
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(cluster.listed(job)).doesNotContain("waiting");
      Wait.untilTrue("the others are gone", () -> started(cluster).size() == 1);
    }
  }

  @Test
  @Behaviour("D8: starting pauses above the failure rate and resumes by itself")
  void startsPauseAboveTheFailureRate() throws Exception {
    Path options = SHELL.directory().resolve("bad-options");
    Files.writeString(options, "-XX:+NoSuchFlag\n");
    try (Cluster cluster = brokenBy(options, "resourcemanager.start-worker.max-failure-rate=2")) {
      String job = submit(cluster, 2);
      awaitListed(cluster, job, "Starting pauses", "max-failure-rate", "NoSuchFlag");
      assertThat(cluster.started()).isEmpty();
    }
  }

  @Test
  @Behaviour("D8: workers of a previous attempt are recovered, waited for and reused")
  @Behaviour("G3: a cluster that lost all its processes is started again with its jobs")
  void restartedJobManagerReusesItsWorkers() throws Exception {
    try (Cluster cluster = elastic(4, 2)) {
      String job = submit(cluster, 4);
      cluster.rest().awaitAllRunning(job, 8);
      List<String> workers = cluster.registered();
      assertThat(workers).hasSize(2);
      cluster.kill("jobmanager");

      // The options are those of the cluster.
      Outcome again = cluster.millrace("cluster", "start").succeeded();
      assertThat(again.out())
          .contains("Cluster is ready again: 2 TaskManagers (2 lived on), 4 slots")
          .contains("Recovered: 1 job to run again, 0 ended before");
      cluster.rest().awaitAllRunning(job, 8);
      assertThat(cluster.registered()).isEqualTo(workers);
      assertThat(cluster.started()).as("none leaked, none started twice").isEqualTo(workers);

      // Stopping the cluster also stops the TaskManagers that have no JobManager.
      cluster.kill("jobmanager");
    }
  }

  private static Cluster elastic(int most, int slots, String... settings) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                "--elastic",
                "--max-taskmanagers",
                String.valueOf(most),
                "--slots",
                String.valueOf(slots),
                "-D",
                SIZE));
    for (String setting : settings) {
      line.add("-D");
      line.add(setting);
    }
    return SHELL.startCluster(line.toArray(String[]::new));
  }

  /** A cluster whose TaskManagers read additional JVM options from a file. */
  private static Cluster brokenBy(Path options, String rate) throws IOException {
    return elastic(
        2,
        2,
        "env.java.opts.taskmanager=@" + options,
        "resourcemanager.start-worker.retry-interval=200 ms",
        "resourcemanager.taskmanager-registration.timeout=3 s",
        rate);
  }

  /** Atomic: a JVM that reads a file before it is written would start without the options. */
  private static void replace(Path options, String text) throws IOException {
    Path written = Files.writeString(options.resolveSibling("next-options"), text);
    Files.move(written, options, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String submit(Cluster cluster, int parallelism) throws IOException {
    return cluster.submit(
        "-p",
        String.valueOf(parallelism),
        "-D",
        "restart-strategy.type=fixed-delay",
        "-D",
        "restart-strategy.fixed-delay.attempts=3",
        "-D",
        "restart-strategy.fixed-delay.delay=100 ms",
        Shell.example("rate-counter.jar").toString());
  }

  private static void awaitListed(Cluster cluster, String job, String... words) {
    AtomicReference<String> last = new AtomicReference<>("nothing");
    try {
      Wait.untilTrue(
          "list shows " + List.of(words),
          () -> {
            String listed = listed(cluster, job);
            last.set(listed);
            return List.of(words).stream().allMatch(listed::contains);
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; last output: " + last.get(), e);
    }
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

  private static void assertStartedWithTheComputedMemory(Cluster cluster, String worker)
      throws IOException {
    Outcome shown =
        SHELL.millrace("memory", "--json", "-D", SIZE, "-D", "taskmanager.numberOfTaskSlots=2");
    JsonNode memory = new ObjectMapper().readTree(String.join("\n", shown.succeeded().out()));
    String pid = String.valueOf(cluster.process(worker).pid());
    List<String> arguments =
        List.of(Files.readString(Path.of("/proc", pid, "cmdline")).split("\0", -1));
    assertThat(memory.path("jvm-args")).isNotEmpty();
    memory.path("jvm-args").forEach(flag -> assertThat(arguments).contains(flag.asText()));
  }

  /** Waits until every subtask runs in its n-th attempt, so that no stale state is accepted. */
  private static void awaitAttempt(Cluster cluster, String job, int attempt, int tasks) {
    Wait.untilTrue(
        "all tasks of " + job + " run in attempt " + attempt,
        () -> {
          JsonNode now = cluster.rest().job(job);
          return now.path("state").asText().equals("RUNNING")
              && Rest.tasks(now, "RUNNING") == tasks
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
        .allMatch(subtask -> subtask.path("attempt").asInt() >= attempt);
  }
}
