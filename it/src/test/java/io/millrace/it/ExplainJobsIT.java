package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.FailingJob;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Explanations and timelines of jobs. */
class ExplainJobsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  @Behaviour("I2: explain shows on one screen why a job waits")
  void explainsWhyJobsWaitHowTheyStartedAndWhyTheyFailed() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "2")) {
      waitsThenRuns(cluster);
      failsAfterItsRestarts(cluster);
    }
  }

  private static void waitsThenRuns(Cluster cluster) throws Exception {
    String job = cluster.submit("-p", "4", Shell.example("rate-counter.jar").toString());
    Wait.untilTrue(
        "the job has the slots there are",
        () -> {
          JsonNode unmet = cluster.rest().get("/jobs/" + job + "/explain").path("unmet").path(0);
          return unmet.path("missing").asInt() == 2 && unmet.path("asked").size() >= 3;
        });

    List<String> waiting = cluster.millrace("explain", job).succeeded().out();
    assertThat(waiting).hasSizeLessThanOrEqualTo(40);
    assertThat(String.join("\n", waiting).replaceAll("\\s+", " "))
        .contains(
            "The job waits for 2 of 4 slots",
            "The JobMaster asked the ResourceManager: 4 slots required",
            "The ResourceManager asked TaskManagers: 2 slots requested of worker taskmanager-1",
            "TaskManagers answered: 2 slots granted by 1 worker.",
            "Answer: The job needs 4 slots and has 2",
            "Would help: 2 more slots",
            "TaskManager taskmanager-1: 2 slots");

    cluster.millrace("cluster", "add").succeeded();
    cluster.rest().awaitAllRunning(job, 8);
    Map<String, JsonNode> steps = steps(cluster, job);
    assertThat(new ArrayList<>(steps.keySet()))
        .containsSubsequence(
            "Submit",
            "Store and accept",
            "Start JobMaster",
            "Register at ResourceManager",
            "Declare slots",
            "Grant slots",
            "Register at JobMaster",
            "Offer and accept slots",
            "Register workers",
            "Deploy tasks",
            "First task running",
            "All tasks running",
            "Run");
    assertThat(steps.get("Wait for slots").path("duration").asLong()).isPositive();
    assertThat(steps.get("Submit").path("process").asText()).isEqualTo("client");
    assertThat(steps.get("Register workers").path("process").asText()).isEqualTo("taskmanager-2");
    assertThat(steps.get("All tasks running").path("count").asInt()).isEqualTo(8);
    assertThat(steps.get("Run").path("end-time").asLong()).isEqualTo(-1);
    assertThat(cluster.millrace("timeline", job).succeeded().out())
        .hasSizeLessThanOrEqualTo(40)
        .anyMatch(line -> line.matches("Wait for slots \\(4\\) +jobmanager .*\\|.*#.*\\|"));
    String running = String.join("\n", cluster.millrace("explain", job).succeeded().out());
    assertThat(running)
        .contains("The job runs in 4 slots of 2 TaskManagers", "Tasks: 8 RUNNING.", "Why there:");

    cluster.millrace("cancel", job).succeeded();
    assertThat(steps(cluster, job)).containsKeys("Wait for slots", "Cancel", "CANCELED");
    assertThat(cluster.millrace("explain", job).succeeded().out())
        .anyMatch(line -> line.startsWith("The user cancelled the job after"));
  }

  private static void failsAfterItsRestarts(Cluster cluster) throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), FailingJob.class);
    String job =
        cluster.submit(
            "-D",
            "restart-strategy.type=fixed-delay",
            "-D",
            "restart-strategy.fixed-delay.attempts=1",
            "-D",
            "restart-strategy.fixed-delay.delay=10ms",
            jar.toString());
    cluster.rest().awaitState(job, "FAILED");

    JsonNode explanation = cluster.rest().get("/v1/jobs/" + job + "/explain");
    List<String> causes = new ArrayList<>();
    explanation.path("causes").forEach(cause -> causes.add(cause.path("sentence").asText()));
    assertThat(causes)
        .satisfiesExactly(
            first -> assertThat(first).contains("failed:", "cannot mill a stone"),
            second -> assertThat(second).startsWith("Restart 1 of"),
            third -> assertThat(third).contains("failed:", "cannot mill a stone"),
            last -> assertThat(last).contains("No restart: the 1 restart"));
    assertThat(String.join("\n", cluster.millrace("explain", job).succeeded().out()))
        .contains("The job failed after", "cannot mill a stone", "What happened:");
    assertThat(steps(cluster, job)).containsKeys("Restart 1", "Fail", "FAILED");

    String unknown = "0123456789abcdef0123456789abcdef";
    for (String command : List.of("explain", "timeline")) {
      assertThat(cluster.millrace(command, unknown).refusedInOneLine())
          .contains("knows no job " + unknown);
    }
  }

  /** The first step of each name, in order. */
  private static Map<String, JsonNode> steps(Cluster cluster, String job) {
    Map<String, JsonNode> steps = new LinkedHashMap<>();
    long last = 0;
    for (JsonNode step : cluster.rest().get("/jobs/" + job + "/timeline").path("steps")) {
      steps.putIfAbsent(step.path("step").asText(), step);
      assertThat(step.path("duration").asLong()).isNotNegative();
      if (step.path("round").asInt() == 0) {
        assertThat(step.path("start-time").asLong()).isGreaterThanOrEqualTo(last);
        last = step.path("start-time").asLong();
      }
    }
    return steps;
  }
}
