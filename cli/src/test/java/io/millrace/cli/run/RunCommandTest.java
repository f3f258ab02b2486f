package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeTarget;
import io.millrace.cli.cluster.FreePorts;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.TestJars;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class RunCommandTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void successIsZeroAndReportedOnStandardErrorOnly() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "job", "my job"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .containsPattern("Job has been submitted with JobID [0-9a-f]{32}\n")
        .containsPattern("Job 'my job' \\([0-9a-f]{32}\\) finished in 1.23 s\n");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void idsOfJobsAreAppendedToTheJobIdFile() throws IOException {
    Path ids = directory.resolve("ids");
    for (int i = 0; i < 2; i++) {
      assertThat(
              cli.call(
                  "run",
                  "-t",
                  "fake",
                  "--job-id-file",
                  ids.toString(),
                  cli.program(),
                  "job",
                  "my job"))
          .isEqualTo(ExitCodes.OK);
    }
    assertThat(ids).content().matches("([0-9a-f]{32}\n){2}");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void failedJobIsThreeAndReportedWithTheLineOfTheProgram() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "job", "fails"))
        .isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err())
        .containsPattern(
            "millrace: Job 'fails' \\([0-9a-f]{32}\\) failed: boom\n"
                + "It happened in some\\.Place\\.map\\(Place\\.java:12\\); --verbose shows the"
                + " whole stack trace\\.\n"
                + "$")
        .doesNotContain("at some.Place");
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void verboseShowsTheStackOfAFailedJob() throws IOException {
    cli.call("run", "--verbose", "-t", "fake", cli.program(), "job", "fails");
    assertThat(cli.err()).contains("at some.Place.map").doesNotContain("It happened in");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void cancelledJobIsFour() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "job", "is cancelled"))
        .isEqualTo(ExitCodes.JOB_CANCELED);
    assertThat(cli.err()).contains("was cancelled");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void jobThatMainDidNotWaitForCountsToo() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "async", "fails"))
        .isEqualTo(ExitCodes.JOB_FAILED);
  }

  @Test
  void refusedJobIsAnError() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "job", "is refused"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: No room for this job.\n");
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void exceptionInMainIsOneLineUnlessVerbose() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "throw")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: The program ended with an exception in main of io.millrace.cli.TestProgram:"
                + " java.lang.IllegalStateException: no luck\n");
    cli.call("run", "--verbose", "-t", "fake", cli.program(), "throw");
    assertThat(cli.err()).contains("\tat io.millrace.cli.TestProgram.main(");
  }

  @Test
  @Behaviour("A3: arguments after the jar belong to the program")
  void everythingAfterTheJarBelongsToTheProgram() throws IOException {
    // As an option of ours, -D without a value would be refused, and --verbose taken.
    assertThat(cli.call("run", "-t", "fake", cli.program(), "throw", "-D", "x", "--verbose"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("no luck").doesNotContain("\tat ");
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void missingJarIsOneLine() {
    assertThat(cli.call("run", "-t", "fake", "gone.jar")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).startsWith("millrace: The jar ").contains("gone.jar").hasLineCount(1);
  }

  @Test
  void jarWithoutMainIsOneLine() throws IOException {
    assertThat(cli.call("run", "-t", "fake", cli.programWithoutMainClass()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("names no main class").hasLineCount(1);
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void missingClassIsOneLine() throws IOException {
    assertThat(cli.call("run", "-t", "fake", "-c", "no.Such", cli.program()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("Class no.Such is not in").hasLineCount(1);
  }

  @Test
  @Behaviour("A3: -d is refused on the embedded cluster with a hint")
  void detachedIsRefusedIfJobsEndWithTheClient() throws IOException {
    assertThat(cli.call("run", "-d", "-t", "fake", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("cannot be detached").contains("cluster start").hasLineCount(1);
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void oldSpellingOfTheTargetWorks() throws IOException {
    assertThat(cli.call("run", "-e", "fake", cli.program(), "job", "x")).isEqualTo(ExitCodes.OK);
  }

  @Test
  @Behaviour("A3: -t, its old spelling -e and execution.target choose the target")
  void targetMayBeConfigured() throws IOException {
    assertThat(cli.call("run", "-D", "execution.target=fake", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
  }

  @Test
  void unreachableClusterIsOneLine() throws IOException {
    try (FreePorts ports = new FreePorts("127.0.0.1")) {
      int closed = ports.free();
      assertThat(cli.call("run", "-m", "127.0.0.1:" + closed, cli.program(), "job", "x"))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .startsWith("millrace: No JobManager can be reached at 127.0.0.1:" + closed)
          .hasLineCount(1);
    }
  }

  @Test
  void parallelismMustBePositive() throws IOException {
    assertThat(cli.call("run", "-p", "0", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("is 0, but it takes 1 to 32768");
    assertThat(cli.call("run", "-p", "many", cli.program())).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  @Behaviour("A7: an unknown target is refused with the known ones")
  void unknownTargetIsAUsageErrorThatNamesTheKnownOnes() throws IOException {
    assertThat(cli.call("run", "-t", "nope", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains("There is no target 'nope'. Choose one of: fake, ", "local", "remote")
        .hasLineCount(1);
    assertThat(cli.call("run", "-t", "fake", "-m", "127.0.0.1:1", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).startsWith("Ignored: -m 127.0.0.1:1. The target is 'fake', as -t says.");
  }

  @Test
  void malformedAddressIsAUsageError() throws IOException {
    assertThat(cli.call("run", "-m", "nowhere", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("nowhere").hasLineCount(1);
  }

  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void infoShowsAllGraphsWithoutRunning() throws IOException {
    assertThat(cli.call("info", "-p", "3", cli.program(), "job", "fails")).isEqualTo(ExitCodes.OK);
    JsonNode jobs = new ObjectMapper().readTree(cli.out()).path("jobs");
    assertThat(jobs).hasSize(1);
    JsonNode job = jobs.get(0);
    assertThat(job.path("streamGraph").path("nodes")).isNotEmpty();
    assertThat(job.path("jobGraph").path("name").asText()).isEqualTo("fails");
    assertThat(job.toString()).contains("\"parallelism\":3");
    JsonNode execution = job.path("executionGraph");
    assertThat(execution.path("slots").asInt()).isEqualTo(3);
    assertThat(execution.path("vertices"))
        .anySatisfy(vertex -> assertThat(vertex.path("subtasks")).hasSize(3));
    assertThat(execution.findValues("region")).isNotEmpty();
    assertThat(cli.err()).isEmpty();
  }

  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void infoShowsAllJobsOfAMain() throws IOException {
    assertThat(cli.call("info", cli.program(), "jobs", "3")).isEqualTo(ExitCodes.OK);
    assertThat(new ObjectMapper().readTree(cli.out()).path("jobs"))
        .extracting(job -> job.path("executionGraph").path("name").asText())
        .containsExactly("job 0", "job 1", "job 2");
    assertThat(cli.err()).isEmpty();
  }

  @Test
  void infoEndsWhenMainReadsRecords() throws IOException {
    assertThat(cli.call("info", cli.program(), "collect")).isEqualTo(ExitCodes.OK);
    assertThat(new ObjectMapper().readTree(cli.out()).path("jobs"))
        .extracting(job -> job.path("jobGraph").path("name").asText())
        .containsExactly("first");
    assertThat(cli.err())
        .isEqualTo(
            "Jobs that main executes from here on are not shown: it needs records of job 'first',"
                + " and this command runs none.\n");
  }

  @Test
  void infoOfAMainThatRunsJobsForEverEnds() throws IOException {
    assertThat(cli.call("info", cli.program(), "jobs", "1000000")).isEqualTo(ExitCodes.OK);
    assertThat(new ObjectMapper().readTree(cli.out()).path("jobs"))
        .hasSize(PlanningExecutor.MAX_JOBS);
    assertThat(cli.err()).contains("more than 100 jobs").hasLineCount(1);
  }

  @Test
  void runOnARunningClusterWarnsAboutOptionsOfItsStart() throws IOException {
    cli.call(
        "run",
        "-t",
        "remote",
        "-D",
        "rest.port=1",
        "-D",
        "taskmanager.numberOfTaskSlots=4",
        "-Dheartbeat.timeout=20 s",
        "-D",
        "restart-strategy.fixed-delay.attempts=2",
        cli.program(),
        "arguments");
    assertThat(cli.err())
        .startsWith(
            "-D taskmanager.numberOfTaskSlots, heartbeat.timeout has no effect because the cluster"
                + " is already running and reads these options only at its start.\n");
    cli.call(
        "run", "-t", "fake", "-D", "taskmanager.numberOfTaskSlots=4", cli.program(), "job", "x");
    assertThat(cli.err()).doesNotContain("no effect");
  }

  @Test
  void namedTargetIgnoresTheOptionsOfAStyle() throws IOException {
    assertThat(cli.call("run", "-t", "fake", "-rs", "0", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).startsWith("Ignored: options of a rack. The target is 'fake'");
  }

  @Test
  void infoOfAProgramWithoutJobIsAnError() throws IOException {
    assertThat(cli.call("info", cli.program())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("without executing a job").hasLineCount(1);
  }

  @Test
  void infoReportsTheExceptionOfMain() throws IOException {
    assertThat(cli.call("info", cli.program(), "throw")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("no luck");
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void exceptionInAStaticInitializerIsOneLine() throws IOException {
    Path jar =
        TestJars.jar(
            directory.resolve("static.jar"),
            "p.Main",
            TestJars.compile(
                "p.Main",
                "package p; public class Main { static int x = Integer.parseInt(\"many\");"
                    + " public static void main(String[] a) {} }"));
    assertThat(cli.call("run", "-t", "fake", jar.toString())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .startsWith("millrace: The program ended with an exception in main of p.Main: ")
        .contains("\"many\"")
        .hasLineCount(1);
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void fileThatIsNoJarIsOneLine() throws IOException {
    Path text = Files.writeString(directory.resolve("text.jar"), "hello");
    assertThat(cli.call("run", "-t", "fake", text.toString())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).startsWith("millrace: " + text + " is not a jar").hasLineCount(1);
    assertThat(cli.call("run", "-t", "fake", directory.toString())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: " + directory + " is a directory. Give the path of a program's jar.\n");
  }

  @Test
  void jarIsRequired() {
    assertThat(cli.call("run")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("JAR").contains("See `millrace run --help`.");
    assertThat(cli.call("info")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("JAR").contains("See `millrace info --help`.");
  }

  @Test
  void malformedUriOfAJarIsAUsageError() {
    assertThat(cli.call("run", "-t", "rack-application", "hdfs:/a b.jar"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("'hdfs:/a b.jar' is not a URI").hasLineCount(1);
  }

  @Test
  void programWithoutAJobIsAnError() {
    assertThat(cli.call("run", "-t", "fake", cli.program())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: The program ended without running a job. Call execute() on its"
                + " StreamEnvironment.\n");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void jobThatTheProgramItselfCancelsIsNoFailure() {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "cancel", "is cancelled"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("was cancelled");
  }

  @Test
  void cachedDataSetsOfTheProgramAreReleased() {
    assertThat(cli.call("run", "-t", "fake", cli.program(), "cache", "x")).isEqualTo(ExitCodes.OK);
    assertThat(FakeTarget.last().released()).hasSize(1);
    assertThat(FakeTarget.last().isClosed()).isTrue();
  }

  @Test
  void parallelismOfTheCommandReachesTheProgram() {
    assertThat(cli.call("run", "-p", "3", "-t", "fake", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeTarget.last().submitted().get(0).vertices())
        .anyMatch(vertex -> vertex.parallelism() == 3);
  }

  @Test
  void badOverridesAreUsageErrorsOfOneLine() {
    for (String override : new String[] {"rest.port", "=1", "rest.prot=1", "rest.port=many"}) {
      assertThat(cli.call("run", "-t", "fake", "-D", override, cli.program(), "job", "x"))
          .as(override)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).startsWith("millrace: ").hasLineCount(1);
    }
    assertThat(cli.call("run", "-t", "fake", "-D", "rest.port", cli.program()))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo("millrace: -D requires key=value, not 'rest.port'. Put an = after the key.\n");
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownOptionIsRefusedWithASimilarOne() {
    assertThat(cli.call("run", "--detach", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains("--detach")
        .contains("Did you mean --detached?")
        .contains("See `millrace run --help`.");
  }

  @Test
  void jobIdFileThatCannotBeWrittenIsOneLine() {
    String file = directory.resolve("missing/ids").toString();
    assertThat(cli.call("run", "-t", "fake", "--job-id-file", file, cli.program(), "job", "my job"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("its id cannot be written to " + file).hasLineCount(1);
  }

  @Test
  void verboseMayStandBeforeOrAfterOtherOptions() {
    for (String[] options :
        new String[][] {{"--verbose", "-t", "fake"}, {"-t", "fake", "--verbose"}}) {
      cli.call("run", options[0], options[1], options[2], cli.program(), "throw");
      assertThat(cli.err()).contains("\tat io.millrace.cli.TestProgram.main(");
    }
  }

  @Test
  void infoWritesTheGraphOfTheFirstJobToAFile() throws Exception {
    Path file = directory.resolve("plan.json");
    assertThat(cli.call("info", "--plan-file", file.toString(), cli.program(), "jobs", "2"))
        .isEqualTo(ExitCodes.OK);
    assertThat(Files.readString(file)).startsWith("{\"jid\":").contains("\"nodes\":");
    assertThat(cli.out()).doesNotContain("\"nodes\"");

    String missing = directory.resolve("missing/plan").toString();
    assertThat(cli.call("info", "--plan-file", missing, cli.program(), "jobs", "1"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("The graph cannot be written to " + missing).hasLineCount(1);
  }

  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void infoPrintsTheSameForTheSameProgram() {
    cli.call("info", cli.program(), "jobs", "2");
    String first = cli.out();
    cli.call("info", cli.program(), "jobs", "2");
    assertThat(cli.out()).isEqualTo(first).isNotEmpty();
  }

  @Test
  void infoShowsJobsBeforeAnException() throws IOException {
    assertThat(cli.call("info", cli.program(), "async-then-throw", "first"))
        .isEqualTo(ExitCodes.OK);
    assertThat(new ObjectMapper().readTree(cli.out()).path("jobs"))
        .extracting(job -> job.path("jobGraph").path("name").asText())
        .containsExactly("first");
    assertThat(cli.err())
        .startsWith("Jobs that main executes from here on are not shown: ")
        .contains("after the job")
        .hasLineCount(1);
  }
}
