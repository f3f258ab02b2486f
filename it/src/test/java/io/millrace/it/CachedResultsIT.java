package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CachesWords;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Cached results that stay on TaskManagers for later jobs of a program. */
class CachedResultsIT {
  private static final String COUNTS = "{flour=10, grain=10, mill=10, weir=10}";

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  @Test
  @Behaviour(
      "H2: later jobs read a cached result at any parallelism, and its sources do not run again")
  @Behaviour(
      "D10: the ResourceManager tracks the cached partitions that TaskManagers report, and a new"
          + " term learns them")
  void laterJobsReadTheCachedResultAlsoAfterARestartOfTheJobManager() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      Command run = run(cluster, 2, "count:2", awaits("restarted"), "count:1", awaits("seen"));
      run.awaitLine(line -> line.equals("done count:2"));
      assertThat(reads()).isEqualTo(40);
      JsonNode known = onlyDataSet(cluster, true);
      assertThat(holders(cluster, known)).hasSize(2).doesNotHaveDuplicates();
      assertThat(kept(cluster)).hasSize(2);

      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();
      assertThat(onlyDataSet(cluster, true)).isEqualTo(known);

      // One reader for both partitions; one of them is on the other TaskManager.
      go("restarted");
      run.awaitLine(line -> line.equals("done count:1"));
      assertThat(reads()).isEqualTo(40);
      assertThat(firstVertex(cluster, "count in 1")).startsWith("Source: cache");

      go("seen");
      assertThat(run.await().succeeded().out()).filteredOn(COUNTS::equals).hasSize(2);
      assertThat(cluster.rest().get("/datasets").path("dataSets")).isEmpty();
      Wait.untilTrue("the cached results are deleted", () -> kept(cluster).isEmpty());
    }
  }

  @Test
  @Behaviour(
      "D10: partitions lost with a TaskManager make their data set incomplete; the rest is"
          + " released and a later job computes it again")
  void resultLostWithATaskManagerIsComputedAgain() throws Exception {
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers",
            "2",
            "--slots",
            "2",
            "-D",
            "cluster.evenly-spread-out-slots=true",
            "-D",
            "heartbeat.interval=500 ms",
            "-D",
            "heartbeat.timeout=3 s")) {
      Command run = run(cluster, 2, "count:2", awaits("killed"), "count:2", awaits("seen"));
      run.awaitLine(line -> line.equals("done count:2"));
      JsonNode before = onlyDataSet(cluster, true);
      List<String> holders = holders(cluster, before);
      assertThat(holders).hasSize(2).doesNotHaveDuplicates();
      cluster.kill("taskmanager-2");
      onlyDataSet(cluster, false);
      Wait.untilTrue(
          "the other half is released",
          () -> cluster.rest().get("/datasets").path("dataSets").isEmpty());

      go("killed");
      run.awaitLine(line -> line.equals("done count:2") && reads() == 80);
      JsonNode again = onlyDataSet(cluster, true);
      assertThat(again.path("id")).isEqualTo(before.path("id"));
      assertThat(holders(cluster, again)).containsOnly("taskmanager-1").hasSize(2);

      // A data set can be released more than once.
      Rest.Answer answer =
          cluster.rest().send("DELETE", "/datasets/" + again.path("id").asText(), "");
      assertThat(answer.status()).isEqualTo(202);
      String trigger = answer.body().path("request-id").asText();
      Wait.untilTrue(
          "it is deleted",
          () ->
              cluster
                  .rest()
                  .get("/datasets/delete/" + trigger)
                  .path("status")
                  .path("id")
                  .asText()
                  .equals("COMPLETED"));
      assertThat(cluster.rest().get("/datasets").path("dataSets")).isEmpty();
      go("seen");
      assertThat(run.await().succeeded().out()).filteredOn(COUNTS::equals).hasSize(2);
    }
  }

  /** Both workers become free at the same time, and one of them has data. */
  @Test
  @Behaviour(
      "D7: a worker that holds data that a job needs is not idle, also before its job has ended")
  void workerWithDataIsNotReleasedBeforeItsData() throws Exception {
    try (Cluster cluster =
        SHELL.startCluster(
            "--elastic",
            "--max-taskmanagers",
            "2",
            "--slots",
            "2",
            "-D",
            "taskmanager.memory.process.size=1g",
            "-D",
            "resourcemanager.taskmanager-timeout=1 s")) {
      Command run =
          run(cluster, 1, "count:1", "fill:4", awaits("gone"), "invalidate", awaits("seen"));
      run.awaitLine(line -> line.equals("done fill:4"));
      List<String> holders = holders(cluster, onlyDataSet(cluster, true));
      assertThat(holders).hasSize(1);
      Wait.untilTrue("the other worker is released", () -> started(cluster).size() == 1);
      assertThat(cluster.registered()).isEqualTo(holders);

      go("gone");
      Wait.untilTrue(
          "the worker that had the data is released, too", () -> started(cluster).isEmpty());
      go("seen");
      run.await().succeeded();
    }
  }

  private Command run(Cluster cluster, int producers, String... steps) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                "run",
                "-t",
                "remote",
                ProgramJar.of(directory, CachesWords.class).toString(),
                directory.resolve("reads").toString(),
                String.valueOf(producers)));
    line.addAll(List.of(steps));
    return cluster.start(line.toArray(String[]::new));
  }

  private String awaits(String name) {
    return "await:" + directory.resolve(name);
  }

  private void go(String name) throws IOException {
    Files.createFile(directory.resolve(name));
  }

  private int reads() {
    try {
      return Files.readAllLines(directory.resolve("reads")).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String firstVertex(Cluster cluster, String name) {
    for (JsonNode job : cluster.rest().get("/jobs/overview").path("jobs")) {
      if (job.path("name").asText().equals(name)) {
        JsonNode details = cluster.rest().job(job.path("jid").asText());
        return details.path("vertices").path(0).path("name").asText();
      }
    }
    throw new AssertionError("No job '" + name + "'");
  }

  private static JsonNode onlyDataSet(Cluster cluster, boolean complete) {
    return Wait.until(
        "there is one data set, complete: " + complete,
        () -> {
          JsonNode all = cluster.rest().get("/datasets").path("dataSets");
          return all.size() == 1 && all.path(0).path("isComplete").asBoolean() == complete
              ? Optional.of(all.path(0))
              : Optional.empty();
        });
  }

  private static List<String> holders(Cluster cluster, JsonNode dataSet) {
    List<String> holders = new ArrayList<>();
    cluster
        .rest()
        .get("/datasets/" + dataSet.path("id").asText())
        .path("partitions")
        .forEach(partition -> holders.add(partition.path("taskmanager").asText()));
    return holders;
  }

  private static List<Path> kept(Cluster cluster) {
    try {
      return cluster.temporaryFiles().stream()
          .filter(file -> file.getParent().getFileName().toString().equals("kept"))
          .toList();
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
}
