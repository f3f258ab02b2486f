package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.SmallJobs;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several JobManagers, of which ZooKeeper elects one. */
class ZooKeeperIT {
  private static final List<String> JOB_MANAGERS = List.of("jobmanager", "jobmanager-2");

  /** Longer than any condition is waited for. */
  private static final Duration LONG_SESSION = Duration.ofMinutes(30);

  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension static final ZooKeeperServer ZOO_KEEPER = new ZooKeeperServer(LONG_SESSION);

  private static Cluster startCluster(Duration session, String... options) throws IOException {
    List<String> all = new ArrayList<>(ZOO_KEEPER.arguments(session));
    all.addAll(List.of(options));
    return SHELL.startCluster(all.toArray(String[]::new));
  }

  private static Rest rest(Cluster cluster, String jobManager) throws IOException {
    return new Rest(
        Files.readString(
                jobManager.equals("jobmanager")
                    ? cluster.directory().resolve("rest")
                    : cluster.directory().resolve("pids").resolve(jobManager + ".rest"))
            .strip());
  }

  private static String leader(Cluster cluster) throws IOException {
    return leader(cluster, JOB_MANAGERS);
  }

  private static String leader(Cluster cluster, List<String> jobManagers) throws IOException {
    List<String> leading = new ArrayList<>();
    for (String name : jobManagers) {
      if (rest(cluster, name).send("GET", "/overview", "").status() == 200) {
        leading.add(name);
      }
    }
    assertThat(leading).hasSize(1);
    return leading.get(0);
  }

  @Test
  @Behaviour(
      "G3: when the leading JobManager is killed, a standby recovers the jobs from their last"
          + " checkpoints, and TaskManagers and clients follow it")
  @Behaviour("G3: a leader that was frozen longer than its session becomes a standby")
  void standbyTakesOverAJobOfAKilledAndOfAFrozenLeader() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    try (Cluster cluster =
        startCluster(
            Duration.ofSeconds(4), "--jobmanagers", "2", "--taskmanagers", "2", "--slots", "1")) {
      List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
      options.addAll(List.of("-p", "2", "-D", "execution.checkpointing.interval=300 ms"));
      String job = cluster.submit(counts.job(SLOW, options));
      String leading = leader(cluster);
      String standby = JOB_MANAGERS.get(1 - JOB_MANAGERS.indexOf(leading));
      Rest first = rest(cluster, leading);
      Rest second = rest(cluster, standby);
      first.awaitAllRunning(job, 4);
      Wait.untilTrue("a checkpoint is complete", () -> completed(first, job) > 0);
      List<ProcessHandle> workers =
          List.of(cluster.process("taskmanager-1"), cluster.process("taskmanager-2"));

      HttpResponse<String> redirected = get("http://" + second.address() + "/jobs/overview?a=b");
      assertThat(redirected.statusCode()).isEqualTo(307);
      assertThat(redirected.headers().firstValue("Location"))
          .contains("http://" + first.address() + "/jobs/overview?a=b");
      assertThat(String.join("\n", cluster.millrace("cluster", "status").succeeded().out()))
          .containsPattern(leading + " .*running")
          .containsPattern(standby + " .*standby");
      assertThat(cluster.millrace("list", "-m", second.address()).succeeded().out())
          .as("a standby leads clients to the leader")
          .anyMatch(line -> line.contains(job));

      cluster.kill(leading);
      long began = System.nanoTime();
      Wait.untilTrue(
          "the standby leads", () -> second.send("GET", "/jobs/" + job, "").status() == 200);
      System.out.println("The standby leads after " + since(began));
      second.awaitAllRunning(job, 4);
      System.out.println("All tasks run after " + since(began));
      assertThat(workers).as("TaskManagers lived on").allMatch(Shell::isRunning);
      assertThat(restored(second, job)).as("restored checkpoints").isPositive();

      Outcome again = cluster.millrace("cluster", "start").succeeded();
      assertThat(again.out())
          .contains("Cluster is ready again: 2 TaskManagers (2 lived on), 2 slots");
      Wait.untilTrue(
          "the restarted JobManager is a standby",
          () -> first.send("GET", "/overview", "").status() == 307);

      ProcessHandle frozen = cluster.process(standby);
      signal("STOP", frozen);
      try {
        Wait.untilTrue(
            "the first JobManager leads again",
            () -> first.send("GET", "/jobs/" + job, "").status() == 200);
        first.awaitAllRunning(job, 4);
      } finally {
        signal("CONT", frozen);
      }
      Wait.untilTrue(
          "the former leader is a standby",
          () -> second.send("GET", "/overview", "").status() == 307);
      assertThat(Shell.isRunning(frozen)).as("it did not end").isTrue();

      Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
      String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();
      cluster.run(counts.job(FAST, "-p", "2", "-s", stopped)).succeeded();
      counts.assertExact();
    }
  }

  @Test
  @Behaviour(
      "G3: a standby takes over from a killed leader at once, long before the session of the leader"
          + " ends, also if the next standby was killed with it")
  @Behaviour("G3: a frozen leader stays the leader until its session ends")
  void standbyTakesOverLongBeforeTheSessionEnds() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    List<String> all = List.of("jobmanager", "jobmanager-2", "jobmanager-3");
    try (Cluster cluster =
        startCluster(LONG_SESSION, "--jobmanagers", "3", "--taskmanagers", "2", "--slots", "1")) {
      List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
      options.addAll(List.of("-p", "2", "-D", "execution.checkpointing.interval=300 ms"));
      String job = cluster.submit(counts.job(SLOW, options));
      String leading = leader(cluster, all);
      Rest first = rest(cluster, leading);
      first.awaitAllRunning(job, 4);
      Wait.untilTrue("a checkpoint is complete", () -> completed(first, job) > 0);
      List<String> standbys = new ArrayList<>(all);
      standbys.remove(leading);

      ProcessHandle frozen = cluster.process(leading);
      signal("STOP", frozen);
      try {
        for (int i = 0; i < 20; i++) {
          for (String standby : standbys) {
            assertThat(rest(cluster, standby).send("GET", "/overview", "").status()).isEqualTo(307);
          }
          Thread.sleep(100);
        }
      } finally {
        signal("CONT", frozen);
      }
      Wait.untilTrue(
          "the leader answers", () -> first.send("GET", "/jobs/" + job, "").status() == 200);

      String next = killAndAwait(cluster, List.of(leading), standbys, job);
      Rest second = rest(cluster, next);
      assertThat(restored(second, job)).as("restored checkpoints").isPositive();
      assertThat(log(cluster, next)).contains("Its node is removed");
      cluster.millrace("cluster", "start").succeeded();
      Wait.untilTrue(
          "the restarted JobManager is a standby",
          () -> first.send("GET", "/overview", "").status() == 307);

      List<String> others = new ArrayList<>(all);
      others.remove(next);
      String spare = others.get(0).equals(leading) ? others.get(1) : others.get(0);
      killAndAwait(cluster, List.of(next, spare), List.of(leading), job);

      Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
      String stopped =
          cluster
              .millrace("stop", job, "-m", first.address(), "-p", savepoints.toString())
              .savepointPath();
      cluster.run(counts.job(FAST, "-m", first.address(), "-p", "2", "-s", stopped)).succeeded();
      counts.assertExact();
    }
  }

  @Test
  @Behaviour("G3: a standby recovers all of many jobs, each from its last checkpoint")
  void standbyRecoversAllOfManyJobs() throws Exception {
    int jobs = 60;
    try (Cluster cluster =
        startCluster(
            LONG_SESSION,
            "--jobmanagers",
            "2",
            "--taskmanagers",
            "2",
            "--slots",
            String.valueOf(jobs / 2))) {
      List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
      options.addAll(List.of("-p", "1", "-D", "execution.checkpointing.interval=2 s"));
      options.add(ProgramJar.of(SHELL.directory(), SmallJobs.class).toString());
      options.add(String.valueOf(jobs));
      cluster.submit(options.toArray(String[]::new));
      String leading = leader(cluster);
      Rest first = rest(cluster, leading);
      Wait.untilTrue("all jobs run", () -> runningJobs(first).size() == jobs);
      List<String> ids = runningJobs(first);
      for (String job : ids) {
        first.awaitCheckpoints(job, 1);
      }

      String standby = JOB_MANAGERS.get(1 - JOB_MANAGERS.indexOf(leading));
      Rest second = rest(cluster, standby);
      cluster.kill(leading);
      long began = System.nanoTime();
      Wait.untilTrue(
          "the standby leads", () -> second.send("GET", "/jobs/overview", "").status() == 200);
      Wait.untilTrue("all jobs run again", () -> runningJobs(second).size() == jobs);
      System.out.println(jobs + " jobs run after " + since(began));

      assertThat(runningJobs(second)).isEqualTo(ids);
      for (String job : ids) {
        assertThat(restored(second, job)).as("restored checkpoints of %s", job).isPositive();
      }
    }
  }

  /** The sorted ids of jobs of which all tasks run. */
  private static List<String> runningJobs(Rest rest) {
    List<String> ids = new ArrayList<>();
    for (JsonNode job : rest.get("/jobs/overview").path("jobs")) {
      JsonNode tasks = job.path("tasks");
      if (job.path("state").asText().equals("RUNNING")
          && tasks.path("running").asInt() == tasks.path("total").asInt()) {
        ids.add(job.path("jid").asText());
      }
    }
    Collections.sort(ids);
    return ids;
  }

  /** Kills JobManagers at once; returns which of the others leads when all tasks run again. */
  private static String killAndAwait(
      Cluster cluster, List<String> killed, List<String> others, String job) throws Exception {
    Map<String, Rest> standbys = new LinkedHashMap<>();
    for (String name : others) {
      standbys.put(name, rest(cluster, name));
    }
    long began = System.nanoTime();
    for (String name : killed) {
      cluster.process(name).destroyForcibly();
    }
    String leading =
        Wait.until(
            "a standby leads",
            () ->
                standbys.entrySet().stream()
                    .filter(
                        standby ->
                            standby.getValue().send("GET", "/jobs/" + job, "").status() == 200)
                    .map(Map.Entry::getKey)
                    .findFirst());
    System.out.println(killed + " killed; " + leading + " leads after " + since(began));
    rest(cluster, leading).awaitAllRunning(job, 4);
    System.out.println("All tasks run after " + since(began));
    return leading;
  }

  private static String log(Cluster cluster, String name) throws IOException {
    return Files.readString(cluster.directory().resolve("log").resolve(name + ".log"));
  }

  @Test
  @Behaviour("G1: an unreachable ZooKeeper is an error of one line that names the servers")
  void unreachableServersAreNamedInOneLine() throws Exception {
    Outcome refused =
        SHELL.millrace(
            "cluster",
            "start",
            "--dir",
            SHELL.directory().resolve("unreachable").toString(),
            "--rest-port",
            "0",
            "-D",
            "high-availability.type=zookeeper",
            "-D",
            "high-availability.zookeeper.quorum=127.0.0.1:1",
            "-D",
            "high-availability.zookeeper.client.connection-timeout=500 ms");
    assertThat(refused.code()).isNotZero();
    assertThat(refused.err())
        .anyMatch(
            line -> line.contains("ZooKeeper at 127.0.0.1:1") && line.contains("does not answer"));
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private static String since(long began) {
    return Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms";
  }

  private static int completed(Rest rest, String job) {
    return checkpoints(rest, job).path("counts").path("completed").asInt();
  }

  private static int restored(Rest rest, String job) {
    return checkpoints(rest, job).path("counts").path("restored").asInt();
  }

  private static JsonNode checkpoints(Rest rest, String job) {
    return rest.get("/jobs/" + job + "/checkpoints");
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }
}
