package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.ExitsAfterItsJob;
import com.example.ExitsEarly;
import com.example.FailingJob;
import com.example.Idle;
import com.example.ManyJobs;
import com.example.Throws;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testing.ReservedPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Application mode: a program with its own JobManager, and one TaskManager. */
class ApplicationIT {
  private static final Pattern REST = Pattern.compile("JobManager serves REST at http://(\\S+)");

  @RegisterExtension static final Shell SHELL = new Shell();

  @TempDir Path directory;
  private Command taskManager;

  /** Terminates it like a user, so that it deletes its files. */
  @AfterEach
  void endTaskManager() {
    if (taskManager != null) {
      taskManager.awaitLine(line -> line.matches(".* TaskManager \\S+ started"));
      taskManager.terminate();
      taskManager.await();
    }
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void wordCountEqualsThatOfARunOnTheEmbeddedCluster() throws Exception {
    Path ran = directory.resolve("ran");
    Path counts = directory.resolve("counts");
    String jar = Shell.example("word-count.jar").toString();
    SHELL.millrace("run", jar, "--output", ran.toString()).succeeded();

    Outcome application = start(jar, "--output", counts.toString()).await();

    assertThat(application.succeeded().err()).anyMatch(line -> line.contains("SUCCEEDED"));
    assertThat(lines(counts)).isEqualTo(lines(ran)).hasSize(176);
    assertThat(SHELL.processes())
        .as("The TaskManager waits for another JobManager")
        .extracting(ProcessHandle::pid)
        .containsExactly(taskManager.pid());
  }

  @Test
  @Behaviour("D1: workers end with the cluster, not with a term")
  void workersOfTheApplicationEndWithIt() throws Exception {
    Path own = directory.resolve("own");
    Outcome application =
        application(
                ReservedPorts.next(),
                "-D",
                "resourcemanager.driver=process",
                "-D",
                "process.directory=" + own,
                Shell.example("word-count.jar").toString(),
                "--output",
                directory.resolve("counts").toString())
            .await();

    assertThat(application.succeeded().err()).anyMatch(line -> line.contains("SUCCEEDED"));
    assertThat(lines(directory.resolve("counts"))).hasSize(176);
    assertThat(SHELL.processes()).isEmpty();
    assertThat(own.resolve("log")).isNotEmptyDirectory();
    assertThat(own.resolve("workers")).doesNotExist();
  }

  @Test
  void jobsRunOneAfterTheOther() throws Exception {
    Path jar = ProgramJar.of(directory, ManyJobs.class);
    assertThat(start(jar.toString(), "3").await().succeeded().out())
        .contains("3 jobs have finished");
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void failedJobExitsWithThree() throws Exception {
    Path jar = ProgramJar.of(directory, FailingJob.class);
    Outcome failed = start(jar.toString()).await();
    assertThat(failed.code()).as("%s", failed).isEqualTo(3);
    assertThat(failed.err())
        .anyMatch(
            line ->
                line.startsWith("The application has ended as FAILED: Job 'failing'")
                    && line.contains("cannot mill a stone"));
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void mainThatThrowsExitsWithThree() throws Exception {
    Path jar = ProgramJar.of(directory, Throws.class);
    Outcome failed = start(jar.toString()).await();
    assertThat(failed.code()).as("%s", failed).isEqualTo(3);
    assertThat(failed.err())
        .anyMatch(
            line ->
                line.startsWith("The application has ended as FAILED")
                    && line.contains("the river is dry"));
  }

  /** Both ports are in use; it would report that if it bound them first. */
  @Test
  @Behaviour(
      "C4: a program that cannot be loaded ends the process with code 1 before services start")
  void programThatCannotBeLoadedBindsNoPort() throws Exception {
    Path jar = ProgramJar.of(directory, Throws.class);
    try (ServerSocket rpc = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket rest = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Outcome refused =
          SHELL.millrace(
              home(),
              "jobmanager",
              "application",
              "-D",
              "jobmanager.rpc.port=" + rpc.getLocalPort(),
              "-D",
              "rest.port=" + rest.getLocalPort(),
              "-c",
              "com.example.Nowhere",
              jar.toString());
      assertThat(refused.code()).as("%s", refused).isEqualTo(1);
      assertThat(refused.refusedInOneLine()).contains("com.example.Nowhere");
      assertThat(refused.err()).hasSize(1);
    }
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  @Behaviour("C4: a per-job or application cluster refuses other submissions and jar uploads")
  void refusesOtherJobsAndExitsWithFourWhenItsJobIsCancelled() throws Exception {
    Path jar = ProgramJar.of(directory, Idle.class);
    Command application = start(jar.toString());
    Rest rest = rest(application);
    String job =
        Wait.until(
            "the application's job is there",
            () -> rest.get("/jobs").path("jobs").findValuesAsText("id").stream().findFirst());
    rest.awaitState(job, "RUNNING");

    Rest.Answer upload = rest.upload("/jars/upload", jar);
    assertThat(upload.status()).isEqualTo(403);
    assertThat(upload.body().path("errors").path(0).asText()).contains("one application");
    assertThat(
            SHELL
                .millrace("run", "-m", rest.address(), "examples/word-count.jar")
                .refusedInOneLine())
        .contains("one application");

    assertThat(rest.send("PATCH", "/jobs/" + job + "?mode=cancel", "").status()).isEqualTo(202);
    Outcome cancelled = application.await();
    assertThat(cancelled.code()).as("%s", cancelled).isEqualTo(4);
  }

  @Test
  void exitsWithFourWhenItsClusterIsShutDown() throws Exception {
    Command application = start(ProgramJar.of(directory, Idle.class).toString());
    Rest rest = rest(application);
    Wait.untilTrue("the job is there", () -> !rest.get("/jobs").path("jobs").isEmpty());
    assertThat(rest.send("DELETE", "/cluster", "").status()).isEqualTo(200);
    assertThat(application.await().code()).isEqualTo(4);
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void systemExitBeforeTheEndOfTheJobExitsWithFive() throws Exception {
    Path jar = ProgramJar.of(directory, ExitsEarly.class);
    Outcome outcome = start(jar.toString()).await();
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(5);
    assertThat(outcome.err())
        .anyMatch(
            line ->
                line.startsWith("The application has ended as UNKNOWN")
                    && line.contains("System.exit"));
  }

  @Test
  void systemExitAfterTheJobSetsTheExitCodeDespiteAHangingHook() throws Exception {
    Path jar = ProgramJar.of(directory, ExitsAfterItsJob.class);
    Outcome outcome = start(jar.toString(), "7", "hook").await();
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
    assertThat(outcome.err())
        .anyMatch(line -> line.startsWith("Shutdown hooks of JobManager have not ended"));
    assertThat(outcome.err())
        .anyMatch(
            line ->
                line.contains("The program called System.exit(7) after its jobs had succeeded.")
                    && line.contains("JobManager ends with the exit code of the program."));
  }

  /** The TaskManager starts first. */
  private Command start(String... program) throws IOException {
    int rpcPort = ReservedPorts.next();
    taskManager =
        SHELL.start(
            home(),
            "taskmanager",
            "-D",
            "jobmanager.rpc.port=" + rpcPort,
            "-D",
            "io.tmp.dirs=" + SHELL.temporaryFiles());
    return application(rpcPort, program);
  }

  private Command application(int rpcPort, String... program) throws IOException {
    List<String> line = new ArrayList<>(List.of("jobmanager", "application"));
    line.addAll(List.of("-D", "jobmanager.rpc.port=" + rpcPort, "-D", "rest.port=0"));
    line.addAll(List.of("-D", "io.tmp.dirs=" + SHELL.temporaryFiles()));
    line.addAll(List.of(program));
    return SHELL.start(home(), line.toArray(String[]::new));
  }

  private static Rest rest(Command application) {
    Matcher address = REST.matcher(application.awaitLine(line -> REST.matcher(line).find()));
    assertThat(address.find()).isTrue();
    return new Rest(address.group(1));
  }

  /** The directory with the cluster secret. */
  private static Map<String, String> home() {
    return Map.of("HOME", SHELL.directory().toString());
  }

  private static List<String> lines(Path output) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output)) {
      for (Path part : parts.toList()) {
        lines.addAll(Files.readAllLines(part));
      }
    }
    lines.sort(null);
    return lines;
  }
}
