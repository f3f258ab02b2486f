package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.ThrowsEarly;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Operations of a user on jobs of a cluster, by command line and by REST. */
class JobLifecycleIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;
  @TempDir Path directory;

  @BeforeAll
  static void start() throws Exception {
    cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "4");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void detachedJobIsListedShownByRestAndCancelled() throws Exception {
    String job = cluster.submit("-p", "2", Shell.example("rate-counter.jar").toString());
    cluster.rest().awaitAllRunning(job, 4);
    assertThat(cluster.listed(job)).contains("RUNNING", "rate counter");
    JsonNode overview = element(cluster.rest().get("/jobs/overview").path("jobs"), "jid", job);
    assertThat(overview.path("state").asText()).isEqualTo("RUNNING");
    assertThat(overview.path("name").asText()).isEqualTo("rate counter");
    assertThat(cluster.rest().get("/v1/jobs/" + job).path("vertices")).hasSize(2);
    Wait.untilTrue("records are counted", () -> cluster.rest().recordsRead(job) > 0);

    Outcome cancelled = cluster.millrace("cancel", job).succeeded();

    assertThat(cancelled.out()).containsExactly("Job " + job + " is CANCELED");
    JsonNode ended = cluster.rest().job(job);
    assertThat(ended.path("state").asText()).isEqualTo("CANCELED");
    assertThat(Rest.tasks(ended, "CANCELED")).isEqualTo(4);
    JsonNode times = ended.path("timestamps");
    long took = times.path("CANCELED").asLong() - times.path("CANCELLING").asLong();
    System.out.println("From CANCELLING to CANCELED: " + took + " ms");
    assertThat(took).isNotNegative();
    assertThat(cluster.listed(job)).contains("CANCELED");
    assertThat(cluster.millrace("list").succeeded().out()).noneMatch(line -> line.contains(job));
    awaitFreeSlots();
  }

  @Test
  void cancelOverRestEndsAJob() throws Exception {
    String job = cluster.submit(Shell.example("rate-counter.jar").toString());
    cluster.rest().awaitAllRunning(job, 2);
    assertThat(cluster.rest().send("PATCH", "/jobs/" + job + "?mode=cancel", "").status())
        .isEqualTo(202);
    cluster.rest().awaitState(job, "CANCELED");
    assertThat(cluster.millrace("cancel", job).refusedInOneLine())
        .contains(job, "has ended already");
  }

  @Test
  void attachedRunReportsThatItsJobWasCancelled() throws Exception {
    Command run =
        cluster.start("run", "-t", "remote", Shell.example("rate-counter.jar").toString());
    String line = run.awaitLine(text -> text.contains("submitted with JobID"));
    String job = line.substring(line.lastIndexOf(' ') + 1);
    cluster.rest().awaitAllRunning(job, 2);
    cluster.millrace("cancel", job).succeeded();
    Outcome outcome = run.await();
    assertThat(outcome.code()).isEqualTo(4);
    assertThat(outcome.refusedInOneLine()).contains(job, "was cancelled");
  }

  @Test
  @Behaviour(
      "A8: a job that is tied to its client is cancelled, with the reason, after"
          + " client.heartbeat.timeout without a heartbeat")
  void jobWithShutdownOnExitEndsWhenItsClientIsKilled() throws Exception {
    Command tied =
        cluster.start(
            "run",
            "-t",
            "remote",
            "-sae",
            "-D",
            "client.heartbeat.interval=300 ms",
            "-D",
            "client.heartbeat.timeout=2 s",
            Shell.example("rate-counter.jar").toString());
    String line = tied.awaitLine(text -> text.contains("submitted with JobID"));
    String job = line.substring(line.lastIndexOf(' ') + 1);
    long running = System.nanoTime();
    cluster.rest().awaitAllRunning(job, 2);
    Wait.untilTrue(
        "more than the timeout has passed",
        () -> System.nanoTime() - running > Duration.ofSeconds(3).toNanos());
    assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");

    tied.kill();
    cluster.rest().awaitState(job, "CANCELED");

    assertThat(String.join(" ", cluster.millrace("explain", job).succeeded().out()))
        .contains("Its client was last heard of", "client.heartbeat.timeout is 2 s");
    assertThat(cluster.rest().get("/jobs/" + job + "/exceptions").path("exceptionHistory"))
        .asString()
        .contains("Its client was last heard of");
  }

  @Test
  void mainThatThrowsReportsItsRunningJob() throws Exception {
    Outcome outcome = cluster.run(ProgramJar.of(directory, ThrowsEarly.class).toString());
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
    assertThat(String.join("\n", outcome.err()))
        .contains("too early")
        .containsPattern("End it with: millrace cancel [0-9a-f]{32}");
    List<String> words = List.of(outcome.err().toString().split("millrace cancel "));
    cluster.millrace("cancel", words.get(1).substring(0, 32)).succeeded();
  }

  @Test
  void uploadedJarRunsAndIsDeleted() throws Exception {
    Path jar = Shell.example("word-count.jar");
    Rest.Answer uploaded = cluster.rest().upload("/jars/upload", jar);
    assertThat(uploaded.status()).as("%s", uploaded).isEqualTo(200);
    assertThat(uploaded.body().path("status").asText()).isEqualTo("success");
    String file = uploaded.body().path("filename").asText();
    String id = file.substring(file.lastIndexOf('/') + 1);

    JsonNode listed = element(cluster.rest().get("/jars").path("files"), "id", id);
    assertThat(listed.path("name").asText()).isEqualTo("word-count.jar");
    assertThat(listed.path("entry").get(0).path("name").asText())
        .isEqualTo("io.millrace.examples.WordCount");

    Path output = SHELL.directory().resolve("from-jar");
    Rest.Answer run =
        cluster
            .rest()
            .send(
                "POST",
                "/v1/jars/" + id + "/run",
                "{\"parallelism\": 2, \"programArgsList\": [\"--output\", \"" + output + "\"]}");
    assertThat(run.status()).as("%s", run).isEqualTo(200);
    String job = run.body().path("jobid").asText();
    cluster.rest().awaitState(job, "FINISHED");
    assertThat(output).isDirectoryContaining("glob:**/part-0-0");
    assertThat(output).isDirectoryContaining("glob:**/part-1-0");

    assertThat(cluster.rest().send("DELETE", "/jars/" + id, "").status()).isEqualTo(200);
    assertThat(cluster.rest().get("/jars").path("files")).isEmpty();
  }

  @Test
  void failureOfAnUploadedProgramIsReported() throws Exception {
    Path jar = Shell.example("word-count.jar");
    String file = cluster.rest().upload("/jars/upload", jar).body().path("filename").asText();
    String id = file.substring(file.lastIndexOf('/') + 1);
    Rest.Answer run =
        cluster
            .rest()
            .send("POST", "/jars/" + id + "/run", "{\"programArgsList\": [\"--inptu\", \"x\"]}");
    assertThat(run.status()).as("%s", run).isBetween(400, 599);
    assertThat(run.body().path("errors").toString()).contains("Unknown argument '--inptu'");
    assertThat(cluster.rest().send("DELETE", "/jars/" + id, "").status()).isEqualTo(200);
  }

  @Test
  @Behaviour(
      "A2: cluster start refuses a second cluster in the same directory, and status shows each"
          + " process and slot")
  void statusShowsEveryProcessAndSlot() throws Exception {
    awaitFreeSlots();
    List<String> lines = cluster.millrace("cluster", "status").succeeded().out();
    assertThat(lines).anyMatch(line -> line.contains(cluster.rest().address()));
    assertThat(lines).anyMatch(line -> line.matches("jobmanager\\s+\\d+\\s+running.*"));
    for (String name : List.of("taskmanager-1", "taskmanager-2")) {
      assertThat(lines).anyMatch(line -> line.matches(name + "\\s+\\d+\\s+running\\s+4\\s+4"));
    }
  }

  @Test
  @Behaviour(
      "A2: cluster start refuses a second cluster in the same directory, and status shows each"
          + " process and slot")
  void secondClusterInTheSameDirectoryIsRefused() throws Exception {
    Outcome second = cluster.millrace("cluster", "start", "--taskmanagers", "1");
    assertThat(second.refusedInOneLine())
        .contains("already runs in " + cluster.directory(), cluster.rest().address());
    assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(2);
  }

  private static void awaitFreeSlots() {
    Wait.untilTrue(
        "all slots are free",
        () -> cluster.rest().get("/overview").path("slots-available").asInt() == 8);
  }

  private static JsonNode element(JsonNode array, String key, String value) {
    for (JsonNode element : array) {
      if (element.path(key).asText().equals(value)) {
        return element;
      }
    }
    throw new AssertionError("No " + value + " in " + array);
  }
}
