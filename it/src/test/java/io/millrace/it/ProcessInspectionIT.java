package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.LogsWork;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.testing.Behaviour;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a user sees of the processes of a cluster over REST. */
class ProcessInspectionIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final Shell SHELL = new Shell();

  /** The first complete line of a log with this message. */
  private static Optional<JsonNode> line(String log, String message) {
    return log.substring(0, log.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> line.contains(message))
        .map(ProcessInspectionIT::parsed)
        .findFirst();
  }

  private static JsonNode parsed(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("Not JSON: " + line, e);
    }
  }

  @Test
  @Behaviour(
      "I2: logs, threads and flame graphs of running processes are read over REST, and log levels"
          + " are changed")
  void looksIntoRunningProcesses() throws Exception {
    String jar = ProgramJar.of(SHELL.directory(), LogsWork.class).toString();
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers",
            "1",
            "--slots",
            "2",
            "-D",
            "env.log.format=json",
            "-D",
            "rest.flamegraph.num-samples=20")) {
      Rest rest = cluster.rest();
      String job = cluster.submit("-p", "2", jar);
      JsonNode running = rest.awaitAllRunning(job, 2);
      String worker = rest.get("/taskmanagers").path("taskmanagers").path(0).path("id").asText();
      String taskManager = "/taskmanagers/" + worker;

      JsonNode line =
          Wait.until(
              "the log has a line of user code",
              () -> line(rest.text(taskManager + "/log"), "Worked on"));
      assertThat(line.path("job").asText()).isEqualTo(job);
      assertThat(line.path("task").asText()).contains("work", "/2, attempt 0)");
      assertThat(line.path("worker").asText()).isEqualTo(worker);
      assertThat(line.path("logger").asText()).isEqualTo(LogsWork.class.getName());
      assertThat(rest.text(taskManager + "/log?tail=100")).hasSize(100);
      Wait.untilTrue(
          "the output has a line of user code",
          () -> rest.text(taskManager + "/stdout").contains("Printed by user code"));
      assertThat(rest.text("/jobmanager/log")).contains("\"job\":\"" + job + "\"");
      assertThat(rest.send("GET", "/jobmanager/logs/..%2Fsecret", "").status()).isEqualTo(404);
      assertThat(rest.send("GET", taskManager + "/logs/..%2Fsecret", "").status()).isEqualTo(404);

      assertThat(rest.text(taskManager + "/log")).doesNotContain("The result is");
      assertThat(cluster.millrace("log-level", "com.example", "debug").succeeded().out())
          .containsExactly(
              "jobmanager: com.example logs at level DEBUG",
              worker + ": com.example logs at level DEBUG");
      Wait.untilTrue(
          "user code logs at level DEBUG",
          () -> rest.text(taskManager + "/log").contains("The result is"));
      cluster.millrace("log-level", "com.example", "--process", worker).succeeded();
      assertThat(cluster.millrace("log-level", "--process", worker).succeeded().out())
          .anyMatch(row -> row.matches(".* ROOT +INFO"))
          .noneMatch(row -> row.contains("com.example"));

      assertThat(rest.get(taskManager + "/thread-dump").toString()).contains("millrace-core-0");
      assertThat(rest.get("/jobmanager/thread-dump").toString()).contains("vert.x-eventloop");
      assertThat(rest.get("/jobmanager/config").toString()).contains("env.log.format");
      String graph =
          "/jobs/"
              + job
              + "/vertices/"
              + running.path("vertices").path(0).path("id").asText()
              + "/flamegraph?type=on_cpu";
      Wait.untilTrue(
          "the flame graph shows the function that is busy",
          () -> rest.get(graph).toString().contains("com.example.LogsWork.work:"));
      cluster.millrace("cancel", job).succeeded();
      assertThat(rest.get(graph).path("endTimestamp").asLong()).isEqualTo(-1);
    }
  }
}
