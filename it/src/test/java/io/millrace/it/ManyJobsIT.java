package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Idle;
import com.example.ManyJobs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many jobs on the slots of one TaskManager, some with too high a parallelism. */
class ManyJobsIT {
  private static final int SLOTS = 2;

  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        SHELL.startCluster(
            "--taskmanagers",
            "1",
            "--slots",
            String.valueOf(SLOTS),
            "-D",
            "slot.request.timeout=3s");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void fiftyJobsLeaveNothingBehind() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), ManyJobs.class);
    runJobs(jar, 5);
    awaitFreeSlots();
    int threads = threads();

    runJobs(jar, 50);
    awaitFreeSlots();

    // The JDK's cache of serialized classes removes collected entries only on the next access, so
    // one more job runs.
    jcmd("GC.run");
    Path idle = ProgramJar.of(SHELL.directory(), Idle.class);
    String job = cluster.submit("-p", String.valueOf(SLOTS), idle.toString());
    cluster.rest().awaitAllRunning(job, 2 * SLOTS);
    assertThat(timesLoaded("com.example.Idle")).isEqualTo(1);
    Wait.untilTrue(
        "the classes of ended jobs are unloaded", () -> timesLoaded("com.example.ManyJobs") == 0);
    cluster.millrace("cancel", job).succeeded();
    awaitFreeSlots();
    int threadsAfter = threads();
    System.out.println("Threads after 5 jobs: " + threads + ", after 55: " + threadsAfter);
    assertThat(threadsAfter).isLessThanOrEqualTo(threads + 3);
    Wait.untilTrue("no file of a job is left", () -> filesLeft().isEmpty());
  }

  private static void runJobs(Path jar, int count) throws IOException {
    Outcome outcome =
        cluster.run("-p", String.valueOf(SLOTS), jar.toString(), String.valueOf(count)).succeeded();
    assertThat(outcome.out()).contains(count + " jobs have finished");
    System.out.println(count + " jobs one after another: " + outcome.elapsed());
  }

  /** The number of live class loaders of the TaskManager that have loaded the class. */
  private static long timesLoaded(String name) {
    jcmd("GC.run");
    return jcmd("VM.class_hierarchy").stream().filter(line -> line.contains(name + "/")).count();
  }

  private static int threads() {
    return (int) jcmd("Thread.print").stream().filter(line -> line.startsWith("\"")).count();
  }

  private static List<String> jcmd(String... command) {
    try {
      String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
      List<String> line = new java.util.ArrayList<>(List.of(jcmd));
      line.add(String.valueOf(cluster.process("taskmanager-1").pid()));
      line.addAll(List.of(command));
      Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      return output.lines().toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static List<Path> filesLeft() {
    try {
      return cluster.temporaryFiles();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void moreParallelismThanSlotsWaitsAndFailsWithTheNumbers() throws Exception {
    Command run =
        cluster.start(
            "run", "-t", "remote", "-p", "5", Shell.example("rate-counter.jar").toString());
    String waiting = run.awaitLine(line -> line.contains("waiting: "));
    assertThat(waiting).contains("needs 5 slots", "2 are registered");
    Outcome outcome = run.await();
    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.refusedInOneLine())
        .contains("needs 5 slots", "has 2 after 3 s", "slot.request.timeout", "2 are registered");
    awaitFreeSlots();
  }

  private static void awaitFreeSlots() {
    Wait.untilTrue(
        "all slots are free",
        () -> cluster.rest().get("/overview").path("slots-available").asInt() == SLOTS);
  }
}
