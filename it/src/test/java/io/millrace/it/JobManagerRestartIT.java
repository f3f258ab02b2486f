package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Idle;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A JobManager is killed and restarted with the same directory. */
class JobManagerRestartIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("C1: a new leader runs the jobs that the store holds")
  @Behaviour(
      "G3: after a JobManager restart TaskManagers are reused, jobs run again and a finished one"
          + " does not")
  void restartReusesWorkersAndRunsUnfinishedJobsOnly() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "2")) {
      cluster.run(Shell.example("word-count.jar").toString()).succeeded();
      JsonNode finished = cluster.rest().get("/jobs/overview").path("jobs").path(0);
      assertThat(finished.path("state").asText()).isEqualTo("FINISHED");
      String job = cluster.submit("-p", "2", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(job, 4);
      Command attached =
          cluster.start(
              "run", "-t", "remote", ProgramJar.of(SHELL.directory(), Idle.class).toString());
      String waiting = idOf(attached.awaitLine(line -> line.contains("submitted with JobID")));
      cluster.rest().awaitState(waiting, "RUNNING");
      List<ProcessHandle> workers =
          List.of(cluster.process("taskmanager-1"), cluster.process("taskmanager-2"));
      long before = cluster.process("jobmanager").pid();

      cluster.kill("jobmanager");
      attached.awaitLine(line -> line.contains("does not answer"));
      long began = System.nanoTime();
      Outcome again = cluster.millrace("cluster", "start", "--slots", "7").succeeded();
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      System.out.println("Cluster is ready again after " + took.toMillis() + " ms");

      assertThat(again.out())
          .contains("Cluster is ready again: 2 TaskManagers (2 lived on), 4 slots")
          .contains("REST address: http://" + cluster.rest().address())
          .contains("Recovered: 2 jobs to run again, 1 ended before")
          .anyMatch(line -> line.contains(job));
      assertThat(again.err()).anyMatch(line -> line.contains("not applied: --slots"));
      cluster.rest().awaitAllRunning(job, 4);
      cluster.rest().awaitAllRunning(waiting, 2);
      assertThat(cluster.process("jobmanager").pid()).isNotEqualTo(before);
      assertThat(workers).allMatch(Shell::isRunning);
      assertThat(serverProcesses()).as("none started twice, none leaked").hasSize(3);
      assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(2);
      assertThat(job(cluster, finished.path("jid").asText())).isEqualTo(finished);
      attached.awaitLine(line -> line.contains("answers again"));

      cluster.millrace("cancel", job).succeeded();
      cluster.millrace("cancel", waiting).succeeded();
      assertThat(attached.await().code()).isEqualTo(4);
      assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
      assertThat(cluster.millrace("cluster", "start").refusedInOneLine())
          .contains("already runs in");
    }
  }

  @Test
  @Behaviour(
      "C1: stored jobs that cannot be read end the process; nothing is deleted or marked FAILED")
  void jobManagerWithDamagedStoreExitsWithTwoAndDeletesNothing() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "2")) {
      String job = cluster.submit("-p", "1", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(job, 2);
      Map<String, String> settings =
          Map.of("MILLRACE_CONF_DIR", cluster.directory().resolve("conf").toString());
      Outcome second =
          SHELL
              .start(settings, "jobmanager", "-D", "jobmanager.rpc.port=0", "-D", "rest.port=0")
              .await();
      assertThat(second.code()).as("%s", second).isEqualTo(1);
      assertThat(second.err())
          .anyMatch(line -> line.contains("pid " + pidOf(cluster, "jobmanager")));

      cluster.kill("jobmanager");
      Path store = cluster.directory().resolve("ha/default/store");
      Path stored = store.resolve("jobs%2f" + job + ".value");
      byte[] whole = Files.readAllBytes(stored);
      byte[] damaged = whole.clone();
      damaged[damaged.length / 2] ^= 1;
      Files.write(stored, damaged);
      Map<Path, Long> before = files(cluster.directory().resolve("ha"));

      Outcome direct = SHELL.start(settings, "jobmanager").await();
      assertThat(direct.code()).as("%s", direct).isEqualTo(2);
      assertThat(direct.err()).anyMatch(line -> line.contains(stored + " is damaged"));
      Outcome refused = cluster.millrace("cluster", "start");
      assertThat(refused.code()).as("%s", refused).isNotZero();
      assertThat(refused.err()).anyMatch(line -> line.contains(stored + " is damaged"));
      assertThat(files(cluster.directory().resolve("ha"))).isEqualTo(before);

      Files.write(stored, whole);
      cluster.millrace("cluster", "start").succeeded();
      cluster.rest().awaitAllRunning(job, 2);
      assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(1);
    }
  }

  @Test
  @Behaviour("G3: a cluster that lost all its processes is started again with its jobs")
  void clusterWithoutProcessesIsRestartedWithItsJob() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String job = cluster.submit("-p", "2", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(job, 4);
      for (String process : List.of("jobmanager", "taskmanager-1", "taskmanager-2")) {
        cluster.kill(process);
      }

      Outcome again = cluster.millrace("cluster", "start").succeeded();

      assertThat(again.out())
          .contains("Cluster is ready again: 2 TaskManagers (0 lived on), 2 slots")
          .contains("Recovered: 1 job to run again, 0 ended before");
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(serverProcesses()).hasSize(3);
    }
  }

  @Test
  @Behaviour("C1: the next leader ends a cancelled job and does not run it again")
  void cancelledJobIsNotRunAgain() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "2")) {
      String job = cluster.submit("-p", "1", Shell.example("rate-counter.jar").toString());
      cluster.rest().awaitAllRunning(job, 2);
      // The tasks do not end while their process is suspended.
      long worker = cluster.process("taskmanager-1").pid();
      new ProcessBuilder("kill", "-STOP", String.valueOf(worker)).start().waitFor();
      assertThat(cluster.rest().send("PATCH", "/jobs/" + job + "?mode=cancel", "").status())
          .isEqualTo(202);
      cluster.kill("jobmanager");
      cluster.kill("taskmanager-1");

      cluster.millrace("cluster", "start").succeeded();

      cluster.rest().awaitState(job, "CANCELED");
    }
  }

  private static String idOf(String line) {
    return line.substring(line.lastIndexOf(' ') + 1);
  }

  private static long pidOf(Cluster cluster, String process) {
    try {
      return cluster.process(process).pid();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static JsonNode job(Cluster cluster, String id) {
    for (JsonNode job : cluster.rest().get("/jobs/overview").path("jobs")) {
      if (job.path("jid").asText().equals(id)) {
        return job;
      }
    }
    throw new AssertionError("Job " + id + " is not listed");
  }

  /** JobManagers and TaskManagers, without commands that wait for a job. */
  private static List<ProcessHandle> serverProcesses() {
    return SHELL.processes().stream().filter(JobManagerRestartIT::isServer).toList();
  }

  private static boolean isServer(ProcessHandle process) {
    try {
      String line = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "cmdline"));
      return line.contains("JobManagerProcess") || line.contains("TaskManagerProcess");
    } catch (IOException gone) {
      return false;
    }
  }

  private static Map<Path, Long> files(Path tree) throws IOException {
    Map<Path, Long> sizes = new LinkedHashMap<>();
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted().toList()) {
        // Each start reserves terms and writes a pid.
        if (!file.endsWith("terms.value") && !file.endsWith("lock")) {
          sizes.put(file, Files.isDirectory(file) ? 0 : Files.size(file));
        }
      }
    }
    return sizes;
  }
}
