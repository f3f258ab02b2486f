package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GatedCount;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** TaskManagers that are killed or suspended while they exchange records. */
class LossDuringExchangeIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;

  /** One slot each, so that the two tasks of a job exchange records between processes; over TLS. */
  @BeforeAll
  static void start() throws Exception {
    TestCertificate certificate = TestCertificate.make(SHELL.directory(), "cluster");
    List<String> options = new ArrayList<>(List.of("--taskmanagers", "4", "--slots", "1"));
    Map<String, String> settings = certificate.configuration().entries();
    settings.forEach((key, value) -> options.addAll(List.of("-D", key + "=" + value)));
    options.addAll(List.of("-D", "heartbeat.interval=1s", "-D", "heartbeat.timeout=6s"));
    cluster = SHELL.startCluster(options.toArray(String[]::new));
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Starts the job and waits until it is in the middle. */
  private static String startIn(Path directory) throws IOException {
    String job =
        cluster.submit(
            "-p",
            "2",
            "-D",
            "restart-strategy.type=fixed-delay",
            "-D",
            "restart-strategy.fixed-delay.attempts=10",
            ProgramJar.of(directory, GatedCount.class).toString(),
            directory.toString());
    Wait.untilTrue("the job is in the middle", () -> Files.exists(directory.resolve("reached")));
    cluster.rest().awaitAllRunning(job, 4);
    return job;
  }

  /** A TaskManager that runs a task of the job; slots of an earlier job may not be free yet. */
  private static String taskManagerOf(String job) {
    JsonNode vertex = cluster.rest().get("/jobs/" + job).path("vertices").get(0);
    JsonNode details =
        cluster.rest().get("/jobs/" + job + "/vertices/" + vertex.path("id").asText());
    String worker = details.path("subtasks").get(0).path("taskmanager-id").asText();
    assertThat(worker).startsWith("taskmanager-");
    return worker;
  }

  private static void assertExact(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory.resolve("counts"))) {
      for (Path file : files.toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    assertThat(lines).hasSize(1000).allMatch(line -> line.endsWith("\t1000"));
    assertThat(lines.stream().distinct()).hasSize(1000);
  }

  private static String reasons(String job) {
    return cluster.rest().get("/jobs/" + job + "/exceptions").toString();
  }

  @Test
  @Behaviour(
      "H2: results are exact after a TaskManager is killed or paused in the middle of an exchange")
  void countsAreExactAfterATaskManagerWasKilled() throws Exception {
    Path directory = Files.createDirectory(SHELL.directory().resolve("killed"));
    String job = startIn(directory);
    String lost = taskManagerOf(job);
    cluster.kill(lost);
    Wait.untilTrue("the loss is noticed", () -> cluster.rest().failures(job) > 0);
    assertThat(reasons(job)).contains(lost);
    Files.writeString(directory.resolve("gate"), "");
    cluster.rest().awaitState(job, "FINISHED");
    assertExact(directory);
  }

  @Test
  @Behaviour(
      "H2: results are exact after a TaskManager is killed or paused in the middle of an exchange")
  void countsAreExactAfterATaskManagerWasSuspended() throws Exception {
    Path directory = Files.createDirectory(SHELL.directory().resolve("stopped"));
    String job = startIn(directory);
    String lost = taskManagerOf(job);
    signal("-STOP", lost);
    try {
      Wait.untilTrue("the loss is noticed", () -> cluster.rest().failures(job) > 0);
      assertThat(reasons(job)).containsAnyOf(lost, "no byte arrived from it");
      Files.writeString(directory.resolve("gate"), "");
      cluster.rest().awaitState(job, "FINISHED");
      assertExact(directory);
    } finally {
      signal("-CONT", lost);
    }
  }

  private static void signal(String signal, String name) throws Exception {
    long pid = cluster.process(name).pid();
    assertThat(new ProcessBuilder("kill", signal, String.valueOf(pid)).start().waitFor()).isZero();
  }
}
