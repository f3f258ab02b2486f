package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.FakeResourceManager.RackOptions;
import io.millrace.cli.common.ExitCodes;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class CommandLineStyleTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void optionsOfAStyleSelectItsTarget() throws IOException {
    assertThat(
            cli.call(
                "run",
                "-m",
                "rack-cluster",
                "-rs",
                "3",
                "-rt",
                "a",
                "--rackTag",
                "b",
                "-rD",
                "parallelism.default=2",
                cli.program(),
                "job",
                "x"))
        .isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "rack-per-job");
    asked(TaskManagerOptions.NUM_TASK_SLOTS, "3");
    asked(RackOptions.TAGS, "a;b");
    asked(CoreOptions.DEFAULT_PARALLELISM, "2");
  }

  @Test
  void valueOfAnOptionMayBePartOfTheSameWord() throws IOException {
    assertThat(cli.call("run", "-rDrack.tags=y", "-rs", "2", cli.program(), "arguments", "-rDa=b"))
        .isEqualTo(ExitCodes.ERROR);
    asked(RackOptions.TAGS, "y");
  }

  @Test
  @Behaviour("A3: arguments after the jar belong to the program")
  void argumentOfTheProgramThatLooksLikeAnOptionOfAStyleIsNotChanged() {
    assertThat(
            cli.call(
                "run",
                "-t",
                "rack-application",
                "-rDrack.tags=y",
                cli.program(),
                "SUCCEEDED",
                "-rDa=b"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeResourceManager.shipped().arguments()).containsExactly("SUCCEEDED", "-rDa=b");
    asked(RackOptions.TAGS, "y");
  }

  @Test
  @Behaviour(
      "A3: the style of a plugin adds options, words of -m and a current session to commands")
  void numberOfContainersIsIgnoredWithAWarning() throws IOException {
    assertThat(cli.call("run", "-m", "rack-cluster", "-rn", "4", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("-rn is ignored");
  }

  @Test
  void styleMayHaveItsOwnDetachedOption() throws IOException {
    assertThat(cli.call("run", "-m", "rack-cluster", "-rd", cli.program(), "async", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("Job has been submitted with JobID");
    asked(DeploymentOptions.ATTACHED, "false");
  }

  @Test
  void applicationIdSelectsTheSession() throws IOException {
    assertThat(cli.call("run", "-rid", "application_1_2", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "rack-session");
    asked(RackOptions.APPLICATION_ID, "application_1_2");
  }

  @Test
  void malformedApplicationIdIsAUsageError() throws IOException {
    for (String[] arguments :
        new String[][] {
          {"run", "-rid", "job_1_2", cli.program(), "job", "x"},
          {"list", "-rid", "job_1_2"},
          {"list", "-D", "rack.application.id=job_1_2"},
          {"session", "stop", "job_1_2"},
          {"session", "attach", "-rid", "job_1_2"}
        }) {
      assertThat(cli.call(arguments)).as(cli.err()).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains("rack.application.id", "'job_1_2'", "such as application_1700000000000_0001");
    }
  }

  @Test
  void currentSessionIsTheDefault() throws IOException {
    Path file =
        directory
            .resolve("home/.millrace")
            .resolve(".rack-properties-" + System.getProperty("user.name"));
    Files.createDirectories(file.getParent());
    Files.writeString(file, "application_3_4\n");
    assertThat(cli.call("run", cli.program(), "job", "x")).isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "rack-session");
    asked(RackOptions.APPLICATION_ID, "application_3_4");
    assertThat(cli.call("list")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("No JobManager can be reached at 127.0.0.1:1:");
    asked(RackOptions.APPLICATION_ID, "application_3_4");
  }

  @Test
  void commandsAboutJobsHaveTheOptionOfTheApplication() {
    for (String command : new String[] {"cancel", "explain", "timeline"}) {
      assertThat(cli.call(command, "-rid", "application_5_6", "0".repeat(32)))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains("No JobManager can be reached at 127.0.0.1:1:")
          .doesNotContain("hidden-token");
      asked(RackOptions.APPLICATION_ID, "application_5_6");
    }
  }

  @Test
  void outcomeOfAnApplicationDecidesTheExitCode() throws IOException {
    assertThat(cli.call("run", "-t", "rack-application", cli.program(), "SUCCEEDED", "-x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeResourceManager.shipped().arguments()).containsExactly("SUCCEEDED", "-x");
    assertThat(FakeResourceManager.shipped().jar().toString())
        .startsWith("file:/")
        .endsWith("program.jar");
    assertThat(cli.call("run", "-t", "rack-application", cli.program(), "FAILED"))
        .isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).contains("millrace: The program (application_1) failed: a reason\n");
    assertThat(cli.call("run", "-t", "rack-application", cli.program(), "CANCELED"))
        .isEqualTo(ExitCodes.JOB_CANCELED);
    assertThat(cli.call("run", "-t", "rack-application", cli.program(), "UNKNOWN"))
        .isEqualTo(ExitCodes.UNKNOWN);
  }

  @Test
  void programOfAnApplicationIsCheckedBeforeTheUpload() throws IOException {
    assertThat(cli.call("run", "-t", "rack-application", "-c", "no.Such", cli.program()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("Class no.Such is not in").hasLineCount(1);
  }

  @Test
  void programMayBeAFileOfTheCluster() {
    assertThat(cli.call("run", "-t", "rack-application", "-d", "hdfs:///p/x.jar", "a"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeResourceManager.shipped().jar().toString()).isEqualTo("hdfs:///p/x.jar");
    assertThat(cli.out()).isEqualTo("Program has been submitted as application_1\n");
    assertThat(cli.err()).contains("Go on");
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionIsStartedListedAttachedToAndStopped() {
    assertThat(cli.call("session", "start", "-t", "rack-session", "-d", "-rs", "4"))
        .isEqualTo(ExitCodes.OK);
    asked(TaskManagerOptions.NUM_TASK_SLOTS, "4");
    assertThat(cli.out())
        .isEqualTo("Session " + FakeResourceManager.SESSION + " runs at http://127.0.0.1:1\n");
    assertThat(cli.err()).contains("millrace session stop " + FakeResourceManager.SESSION);
    assertThat(cli.call("session", "list")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains(FakeResourceManager.SESSION, "RUNNING", "default", "mine");
    assertThat(cli.call("session", "attach", "application_9_9")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("The session application_9_9 has ended (SUCCEEDED)");
    assertThat(cli.call("session", "attach", "-rid", "application_9_9")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("The session application_9_9 has ended (SUCCEEDED)");
    assertThat(cli.call("session", "stop")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out())
        .isEqualTo("Session " + FakeResourceManager.SESSION + " has ended (SUCCEEDED)\n");
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionsAreOnlyOnTargetsThatHaveThem() {
    assertThat(cli.call("session", "start", "-t", "local")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("no sessions on target 'local'", "rack-session");
    assertThat(cli.call("session")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Choose start, attach, list or stop");
    assertThat(cli.call("session", "begin")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains(
            "'begin' is not a command of `millrace session`. Choose start, attach, list or stop.")
        .contains("See `millrace session --help`.");
  }

  @Test
  void helpShowsTheOptionsAndExamplesOfAStyle() {
    assertThat(cli.call("run", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out())
        .containsPattern("(?s)For clusters on a rack:.*-rid, --rackId=ID.*-rs, --rackSlots=N.*-rD")
        .contains("  millrace run -t rack-per-job x.jar");
    assertThat(cli.call("session", "start", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("-rs, --rackSlots=N").doesNotContain("-rid");
    assertThat(cli.call("list", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("-rid, --rackId=ID").doesNotContain("-rs");
    assertThat(cli.call("memory", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).doesNotContain("rack");
  }

  @Test
  void optionThatNoStyleHasIsRefused() throws IOException {
    assertThat(cli.call("run", "-zz", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("-zz").contains("See `millrace run --help`.");
    assertThat(cli.call("list", "-rs", "3")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("-rs");
  }

  @Test
  @Behaviour(
      "A3: the generic style goes before the YARN style, and that before the default; a style"
          + " without libraries is skipped with a warning")
  void styleWithoutItsLibrariesIsSkippedWithAWarning() throws IOException {
    FakeResourceManager.Style.removeLibrary("rack.jar");
    try {
      assertThat(cli.call("run", "-rs", "3", "-t", "fake", cli.program(), "job", "x"))
          .isEqualTo(ExitCodes.OK);
      assertThat(cli.err())
          .contains("Ignored: options of a rack. The target is 'fake', as -t says.");
      assertThat(cli.call("run", "-m", "rack-cluster", cli.program(), "job", "x"))
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains(
              "The command-line style 'rack' is skipped because its libraries are missing:"
                  + " rack.jar.")
          .contains("-m rack-cluster is not the address of a JobManager");
    } finally {
      FakeResourceManager.Style.restoreLibraries();
    }
  }

  @Test
  void valueThatIsNeitherAnAddressNorAWordOfAStyleIsRefused() throws IOException {
    assertThat(cli.call("run", "-m", "no-cluster", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("'no-cluster' is not the address of a JobManager");
  }

  @Test
  void fileOfASessionWhoseStyleIsMissingIsSkippedWithAWarning() throws IOException {
    Path file =
        directory
            .resolve("home/.millrace")
            .resolve(".other-properties-" + System.getProperty("user.name"));
    Files.createDirectories(file.getParent());
    Files.writeString(file, "application_3_4\n");
    assertThat(cli.call("run", "-t", "fake", cli.program(), "job", "x")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .contains(
            "The current session in "
                + file
                + " is ignored because no installed plugin has the command-line style 'other'.");
  }

  @Test
  void optionsOfAPluginCountAsKnownInTheConfiguration() {
    String size = "taskmanager.memory.process.size=1728m";
    assertThat(cli.call("memory", "-D", size, "-D", "rack.tags=a")).isEqualTo(ExitCodes.OK);
    assertThat(cli.call("memory", "-D", size, "-D", "rack.tugs=a")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Unknown option 'rack.tugs'. Did you mean 'rack.tags'?");
    assertThat(cli.call("memory", "-D", size, "-D", "rack.something=a")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("A rack has no such switch");
  }

  private static void asked(Option<?> option, String value) {
    assertThat(FakeResourceManager.asked().entries()).containsEntry(option.key(), value);
  }
}
