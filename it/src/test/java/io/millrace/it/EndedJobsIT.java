package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.FailingJob;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Information about ended jobs, also after the end of their JobManager. */
class EndedJobsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final List<String> PAGES =
      List.of(
          "",
          "/config",
          "/exceptions",
          "/plan",
          "/status",
          "/execution-result",
          "/result",
          "/journal",
          "/explain",
          "/timeline");

  @Test
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void nextJobManagerAndHistoryServerShowTheSameAsTheKilledJobManager() throws Exception {
    Path archives = SHELL.directory().resolve("archives");
    Map<String, JsonNode> answers;
    Map<String, List<String>> printed;
    List<String> jobs;
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers", "1", "--slots", "4", "-D", "jobmanager.archive.fs.dir=" + archives)) {
      cluster.run(Shell.example("word-count.jar").toString()).succeeded();
      String finished =
          cluster.rest().get("/jobs/overview").path("jobs").path(0).path("jid").asText();
      String failed = fail(cluster);
      String running = cluster.submit("-p", "1", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(running, 2);
      jobs = List.of(finished, failed);
      answers = answers(cluster, jobs);
      printed = printed(cluster, jobs);
      assertThat(answers.get("/jobs/" + failed + "/exceptions").toString())
          .contains("cannot mill a stone");
      assertThat(answers.get("/jobs/" + finished + "/timeline").path("steps").size())
          .isGreaterThan(10);

      restart(cluster);

      assertThat(answers(cluster, jobs)).isEqualTo(answers);
      assertThat(printed(cluster, jobs)).isEqualTo(printed);
      cluster.rest().awaitAllRunning(running, 2);
      String begins = "The history of the job begins at";
      assertThat(cluster.rest().get("/jobs/" + running + "/timeline").path("notes").toString())
          .contains(begins);
      assertThat(cluster.millrace("timeline", running).succeeded().out())
          .anyMatch(line -> line.startsWith(begins));
      assertThat(String.join(" ", cluster.millrace("explain", running).succeeded().out()))
          .contains(begins);

      damagedPageIsPassedOver(cluster, finished, answers.get("/jobs/" + failed));
    }
    assertHistoryServerShows(archives, jobs, answers, printed);
  }

  /** The cluster has stopped. */
  private static void assertHistoryServerShows(
      Path archives,
      List<String> jobs,
      Map<String, JsonNode> answers,
      Map<String, List<String>> printed)
      throws IOException {
    Outcome nowhere = SHELL.millrace("history", "--dir", archives + "-not", "--port", "0");
    assertThat(nowhere.code()).as("%s", nowhere).isEqualTo(1);
    assertThat(nowhere.err())
        .anyMatch(line -> line.contains("There is no directory " + archives + "-not"));

    Command server = SHELL.start(Map.of(), "history", "--dir", archives.toString(), "--port", "0");
    String line = server.awaitLine(text -> text.startsWith("History server shows"));
    String address = line.substring(line.lastIndexOf('/') + 1);
    Rest rest = new Rest(address);

    // Stopping the cluster cancelled the running job.
    assertThat(rest.get("/jobs").path("jobs")).hasSize(3);
    answers.forEach(
        (path, page) -> {
          // Addresses of data ports are not archived.
          if (!path.contains("/vertices/")) {
            assertThat(timeless(rest.get(path))).as(path).isEqualTo(page);
          } else {
            assertThat(rest.get(path).path("subtasks")).hasSameSizeAs(page.path("subtasks"));
          }
        });
    for (String job : jobs) {
      for (String command : List.of("explain", "timeline")) {
        assertThat(SHELL.millrace(command, "-m", address, job).succeeded().out())
            .isEqualTo(printed.get(command + job));
      }
      assertThat(SHELL.millrace("list", "-a", "-m", address).succeeded().out())
          .anyMatch(text -> text.contains(job));
    }
    server.terminate();
    server.await();
  }

  private static void damagedPageIsPassedOver(Cluster cluster, String damaged, JsonNode other)
      throws IOException {
    Path page = cluster.directory().resolve("ha/default/archive").resolve(damaged + ".job");
    byte[] content = Files.readAllBytes(page);
    content[content.length / 2] ^= 1;
    Files.write(page, content);

    restart(cluster);

    assertThat(cluster.rest().state(damaged)).isEqualTo("FINISHED");
    assertThat(cluster.rest().job(damaged).path("vertices")).isEmpty();
    assertThat(timeless(cluster.rest().job(other.path("jid").asText()))).isEqualTo(other);
    assertThat(Files.readString(cluster.directory().resolve("log/jobmanager.log")))
        .contains(page + " is ignored");
    assertThat(cluster.millrace("timeline", damaged).succeeded().out())
        .contains("The cluster no longer has events of this job.");
  }

  private static void restart(Cluster cluster) throws IOException {
    cluster.kill("jobmanager");
    cluster.millrace("cluster", "start").succeeded();
  }

  private static String fail(Cluster cluster) throws Exception {
    String job =
        cluster.submit(
            "-D",
            "restart-strategy.type=fixed-delay",
            "-D",
            "restart-strategy.fixed-delay.attempts=1",
            "-D",
            "restart-strategy.fixed-delay.delay=10ms",
            ProgramJar.of(SHELL.directory(), FailingJob.class).toString());
    cluster.rest().awaitState(job, "FAILED");
    // The final state is visible before the result is stored and the history is complete.
    Wait.untilTrue(
        "the job is archived",
        () -> cluster.rest().get("/jobs/" + job + "/journal").toString().contains("job archived"));
    return job;
  }

  /** The answers of REST about jobs, without the time of the request. */
  private static Map<String, JsonNode> answers(Cluster cluster, List<String> jobs) {
    Map<String, JsonNode> answers = new LinkedHashMap<>();
    for (String job : jobs) {
      List<String> pages = new ArrayList<>(PAGES);
      cluster
          .rest()
          .job(job)
          .path("vertices")
          .forEach(vertex -> pages.add("/vertices/" + vertex.path("id").asText()));
      assertThat(pages).hasSizeGreaterThan(PAGES.size());
      for (String page : pages) {
        String path = "/jobs/" + job + page;
        answers.put(path, timeless(cluster.rest().get(path)));
      }
    }
    return answers;
  }

  private static Map<String, List<String>> printed(Cluster cluster, List<String> jobs)
      throws IOException {
    Map<String, List<String>> printed = new LinkedHashMap<>();
    for (String job : jobs) {
      for (String command : List.of("explain", "timeline")) {
        printed.put(command + job, cluster.millrace(command, job).succeeded().out());
      }
    }
    return printed;
  }

  private static JsonNode timeless(JsonNode page) {
    return ((ObjectNode) page).without("now");
  }
}
