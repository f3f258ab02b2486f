package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.ParsesNumbers;
import com.example.SlowJob;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What users see of functions that fail, are slow or do not end. */
class TaskDiagnosticsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static String explained(Cluster cluster, String job) {
    try {
      return String.join(" ", cluster.millrace("explain", job).succeeded().out())
          .replaceAll("\\s+", " ");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  @Behaviour("F5: a failing record is named with operator, subtask and its position at the source")
  void errorNamesTheFailingRecordAndItsPosition() throws Exception {
    Path file = SHELL.directory().resolve("numbers.txt");
    Files.writeString(file, "1\n22\nthree\n4\n");
    String jar = ProgramJar.of(SHELL.directory(), ParsesNumbers.class).toString();
    String place = " failed on record three at byte 5 of " + file + ": NumberFormatException";

    Outcome embedded = SHELL.millrace("run", "-p", "1", jar, file.toString());
    assertThat(embedded.code()).isEqualTo(3);
    assertThat(embedded.refusedInOneLine()).contains("Operator 'parse' of task", "(1/1,", place);

    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      String job = cluster.submit("-p", "1", jar, file.toString());
      cluster.rest().awaitState(job, "FAILED");
      JsonNode failure =
          cluster
              .rest()
              .get("/jobs/" + job + "/exceptions")
              .path("exceptionHistory")
              .path("entries")
              .path(0);
      assertThat(failure.path("stacktrace").asText())
          .contains("Operator 'parse' of task", place, "Integer.parseInt");
      assertThat(failure.path("taskName").asText()).contains("parse", "(1/1)");
      assertThat(explained(cluster, job)).contains("Operator 'parse' of task", "at byte 5 of");

      String apart = cluster.submit("-p", "1", jar, file.toString(), "apart");
      cluster.rest().awaitState(apart, "FAILED");
      assertThat(explained(cluster, apart))
          .contains("Operator 'parse' of task", "failed on record three: NumberFormatException");
    }
  }

  @Test
  @Behaviour(
      "F5: a task on its own thread shows since when, why and at which line of the program, and"
          + " returns to the cores")
  void explainNamesFunctionThatOccupiesItsCoreAndItsSlotIsUsableAfterACancellation()
      throws Exception {
    String jar = ProgramJar.of(SHELL.directory(), SlowJob.class).toString();
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers",
            "1",
            "--slots",
            "4",
            "-D",
            "taskmanager.cores=2",
            "-D",
            "heartbeat.interval=500ms")) {
      String job = cluster.submit("-p", "4", jar, "sleeps");
      String line =
          "held its core for \\d+ ms in (\\S+; it is in )?"
              + "com\\.example\\.SlowJob\\.sleep\\(SlowJob\\.java:\\d+\\)( now)?";
      Wait.untilTrue(
          "explain names the line",
          () ->
              explained(cluster, job)
                  .matches(".* has a thread of its own, for .* now: it " + line + ".*"));
      JsonNode vertex = cluster.rest().job(job).path("vertices").path(0);
      String details = "/jobs/" + job + "/vertices/" + vertex.path("id").asText();
      Wait.untilTrue(
          "REST shows the line and how many such threads there are",
          () ->
              StreamSupport.stream(
                      cluster.rest().get(details).path("subtasks").spliterator(), false)
                  .map(subtask -> subtask.path("thread"))
                  .anyMatch(
                      thread ->
                          thread.path("kind").asText().equals("own")
                              && thread.path("reason").asText().matches(line)
                              && thread.path("own-threads").asInt() > 0
                              && thread.path("most-own-threads").asInt() == 256));
      String pressure =
          "/jobs/" + job + "/vertices/" + vertex.path("id").asText() + "/backpressure";
      Wait.untilTrue(
          "its tasks are busy and under no pressure",
          () -> {
            JsonNode answer = cluster.rest().get(pressure);
            return answer.path("status").asText().equals("ok")
                && answer.path("subtasks").path(0).path("busyRatio").asDouble() > 0
                && answer.path("subtasks").path(0).path("ratio").asDouble() == 0;
          });

      cluster.millrace("cancel", job).succeeded();
      assertThat(
              cluster.run("-p", "4", Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
    }
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void functionThatIgnoresCancellationIsReportedAndItsTaskManagerExits() throws Exception {
    String jar = ProgramJar.of(SHELL.directory(), SlowJob.class).toString();
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      String job = cluster.submit("-p", "1", "-D", "task.cancellation.timeout=2s", jar, "spins");
      cluster.rest().awaitAllRunning(job, 1);
      ProcessHandle worker = cluster.process("taskmanager-1");
      cluster.millrace("cancel", job).succeeded();

      cluster.rest().awaitState(job, "CANCELED");
      Wait.untilTrue("the TaskManager has ended", () -> !worker.isAlive());
      assertThat(explained(cluster, job))
          .contains(
              "did not end within 2 s of its cancellation (task.cancellation.timeout). It is in"
                  + " com.example.SlowJob.spin(SlowJob.java:");

      cluster.millrace("cluster", "add").succeeded();
      assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
    }
  }
}
