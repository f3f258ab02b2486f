package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.FailingJob;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is told of jobs that have ended, also when the JobManager they ended under is dead. */
class EndedJobsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final ObjectMapper JSON = new ObjectMapper();
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
  void jobManagerThatIsStartedAgainTellsWhatTheKilledOneTold() throws Exception {
    Path archives = SHELL.directory().resolve("archives");
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers", "1", "--slots", "4", "-D", "jobmanager.archive.fs.dir=" + archives)) {
      cluster.run(Shell.example("word-count.jar").toString()).succeeded();
      String finished =
          cluster.rest().get("/jobs/overview").path("jobs").path(0).path("jid").asText();
      String failed = fail(cluster);
      String running = cluster.submit("-p", "1", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(running, 2);
      List<String> jobs = List.of(finished, failed);
      Map<String, JsonNode> told = told(cluster, jobs);
      Map<String, List<String>> printed = printed(cluster, jobs);
      assertThat(told.get("/jobs/" + failed + "/exceptions").toString())
          .contains("cannot mill a stone");
      assertThat(told.get("/jobs/" + finished + "/timeline").path("steps").size())
          .isGreaterThan(10);

      restart(cluster);

      assertThat(told(cluster, jobs)).isEqualTo(told);
      assertThat(printed(cluster, jobs)).isEqualTo(printed);
      cluster.rest().awaitAllRunning(running, 2);
      String begins = "The history of the job begins at";
      assertThat(cluster.rest().get("/jobs/" + running + "/timeline").path("notes").toString())
          .contains(begins);
      assertThat(cluster.millrace("timeline", running).succeeded().out())
          .anyMatch(line -> line.startsWith(begins));
      assertThat(String.join(" ", cluster.millrace("explain", running).succeeded().out()))
          .contains(begins);

      for (String job : jobs) {
        assertThat(archived(archives, job)).containsAllEntriesOf(only(told, job));
      }
      damagedPageIsPassedOver(cluster, finished, told.get("/jobs/" + failed));
    }
    assertThat(archives).isNotEmptyDirectory();
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
        .contains(page + " is passed over");
    assertThat(cluster.millrace("timeline", damaged).succeeded().out())
        .contains("Nothing is known of its life any more.");
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
    // Its state is seen before its result is stored and its history complete.
    Wait.untilTrue(
        "the job is archived",
        () -> cluster.rest().get("/jobs/" + job + "/journal").toString().contains("job archived"));
    return job;
  }

  /** What REST answers about jobs, but for the moment at which it was asked. */
  private static Map<String, JsonNode> told(Cluster cluster, List<String> jobs) {
    Map<String, JsonNode> told = new LinkedHashMap<>();
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
        told.put(path, timeless(cluster.rest().get(path)));
      }
    }
    return told;
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

  private static Map<String, JsonNode> only(Map<String, JsonNode> told, String job) {
    Map<String, JsonNode> pages = new LinkedHashMap<>();
    told.forEach(
        (path, page) -> {
          // Where data ports were is not kept.
          if (path.startsWith("/jobs/" + job) && !path.contains("/vertices/")) {
            pages.put(path, page);
          }
        });
    return pages;
  }

  private static Map<String, JsonNode> archived(Path archives, String job) throws IOException {
    Map<String, JsonNode> pages = new LinkedHashMap<>();
    for (JsonNode page : JSON.readTree(archives.resolve(job).toFile()).path("archive")) {
      pages.put(page.path("path").asText(), timeless(JSON.readTree(page.path("json").asText())));
    }
    return pages;
  }

  private static JsonNode timeless(JsonNode page) {
    return ((ObjectNode) page).without("now");
  }
}
