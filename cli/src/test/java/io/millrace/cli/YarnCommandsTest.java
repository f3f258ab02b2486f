package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.common.ExitCodes;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.YarnOptions;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class YarnCommandsTest {
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
  void oldWordsMeanAClusterForTheJob() throws IOException {
    assertThat(
            cli.call(
                "run",
                "-m",
                "yarn-cluster",
                "-yjm",
                "1600",
                "-ytm",
                "2g",
                "-ys",
                "3",
                "-yqu",
                "small",
                "-ynm",
                "my job",
                "-yat",
                "Test",
                "-ynl",
                "fast",
                "-yt",
                "a.txt",
                "-yt",
                "b",
                "-yz",
                "mine",
                "-yD",
                "yarn.tags=x",
                cli.program(),
                "job",
                "x"))
        .isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "yarn-per-job");
    asked(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1600m");
    asked(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "2g");
    asked(TaskManagerOptions.NUM_TASK_SLOTS, "3");
    asked(YarnOptions.QUEUE, "small");
    asked(YarnOptions.APPLICATION_NAME, "my job");
    asked(YarnOptions.APPLICATION_TYPE, "Test");
    asked(YarnOptions.NODE_LABEL, "fast");
    asked(YarnOptions.SHIP_FILES, "a.txt;b");
    asked(HighAvailabilityOptions.HA_CLUSTER_ID, "mine");
    asked(YarnOptions.TAGS, "x");
  }

  @Test
  void settingMayStandInOneWord() throws IOException {
    assertThat(
            cli.call("run", "-yDyarn.tags=y", "-yjm", "1g", cli.program(), "arguments", "-yDa=b"))
        .isEqualTo(ExitCodes.ERROR);
    asked(YarnOptions.TAGS, "y");
  }

  @Test
  @Behaviour(
      "A3: the YARN style takes -m yarn-cluster, -yid, y-options and the properties file; -yn is"
          + " ignored with a warning")
  void numberOfContainersIsIgnoredWithAWarning() throws IOException {
    assertThat(cli.call("run", "-m", "yarn-cluster", "-yn", "4", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("-yn is ignored");
  }

  @Test
  void detachedInOldWords() throws IOException {
    assertThat(cli.call("run", "-m", "yarn-cluster", "-yd", cli.program(), "async", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("Job has been submitted with JobID");
    asked(DeploymentOptions.ATTACHED, "false");
  }

  @Test
  void applicationNamesTheSession() throws IOException {
    assertThat(cli.call("run", "-yid", "application_1_2", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "yarn-session");
    asked(YarnOptions.APPLICATION_ID, "application_1_2");
  }

  @Test
  void malformedApplicationIsAWrongUse() throws IOException {
    for (String[] arguments :
        new String[][] {
          {"run", "-yid", "job_1_2", cli.program(), "job", "x"},
          {"list", "-yid", "job_1_2"},
          {"list", "-D", "yarn.application.id=job_1_2"},
          {"session", "stop", "job_1_2"},
          {"session", "attach", "-yid", "job_1_2"}
        }) {
      assertThat(cli.call(arguments)).as(cli.err()).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains("yarn.application.id", "'job_1_2'", "such as application_1700000000000_0001");
    }
  }

  @Test
  void currentSessionIsMeantWhereNothingElseIs() throws IOException {
    Path file =
        directory
            .resolve("home/.millrace")
            .resolve(".yarn-properties-" + System.getProperty("user.name"));
    Files.createDirectories(file.getParent());
    Files.writeString(file, "applicationID=application_3_4\n");
    assertThat(cli.call("run", cli.program(), "job", "x")).isEqualTo(ExitCodes.OK);
    asked(DeploymentOptions.TARGET, "yarn-session");
    asked(YarnOptions.APPLICATION_ID, "application_3_4");
    assertThat(cli.call("list")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("No JobManager can be reached at 127.0.0.1:1:");
    asked(YarnOptions.APPLICATION_ID, "application_3_4");
  }

  @Test
  void commandsAboutJobsTakeTheApplicationToo() {
    for (String command : new String[] {"cancel", "explain", "timeline"}) {
      assertThat(cli.call(command, "-yid", "application_5_6", "0".repeat(32)))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains("No JobManager can be reached at 127.0.0.1:1:")
          .doesNotContain("hidden-token");
      asked(YarnOptions.APPLICATION_ID, "application_5_6");
    }
  }

  @Test
  void programThatRunsElsewhereDecidesTheExitCode() throws IOException {
    assertThat(cli.call("run", "-t", "yarn-application", cli.program(), "SUCCEEDED", "-x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeYarn.shipped().arguments()).containsExactly("SUCCEEDED", "-x");
    assertThat(FakeYarn.shipped().jar().toString()).startsWith("file:/").endsWith("program.jar");
    assertThat(cli.call("run", "-t", "yarn-application", cli.program(), "FAILED"))
        .isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).contains("millrace: The program (application_1) failed: a reason\n");
    assertThat(cli.call("run", "-t", "yarn-application", cli.program(), "CANCELED"))
        .isEqualTo(ExitCodes.JOB_CANCELED);
    assertThat(cli.call("run", "-t", "yarn-application", cli.program(), "UNKNOWN"))
        .isEqualTo(ExitCodes.UNKNOWN);
  }

  @Test
  void programThatRunsElsewhereIsLookedAtFirst() throws IOException {
    assertThat(cli.call("run", "-t", "yarn-application", "-c", "no.Such", cli.program()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("Class no.Such is not in").hasLineCount(1);
  }

  @Test
  void programMayBeThereAlready() {
    assertThat(cli.call("run", "-t", "yarn-application", "-d", "hdfs:///p/x.jar", "a"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeYarn.shipped().jar().toString()).isEqualTo("hdfs:///p/x.jar");
    assertThat(cli.out()).isEqualTo("Program has been submitted as application_1\n");
    assertThat(cli.err()).contains("Go on");
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionIsStartedListedAttachedToAndStopped() {
    assertThat(cli.call("session", "start", "-t", "yarn-session", "-d", "-ys", "4"))
        .isEqualTo(ExitCodes.OK);
    asked(TaskManagerOptions.NUM_TASK_SLOTS, "4");
    assertThat(cli.out())
        .isEqualTo("Session " + FakeYarn.SESSION + " runs at http://127.0.0.1:1\n");
    assertThat(cli.err()).contains("millrace session stop " + FakeYarn.SESSION);
    assertThat(cli.call("session", "list")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains(FakeYarn.SESSION, "RUNNING", "default", "mine");
    assertThat(cli.call("session", "attach", "application_9_9")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("The session application_9_9 has ended (SUCCEEDED)");
    assertThat(cli.call("session", "attach", "-yid", "application_9_9")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("The session application_9_9 has ended (SUCCEEDED)");
    assertThat(cli.call("session", "stop")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Session " + FakeYarn.SESSION + " has ended (SUCCEEDED)\n");
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionsAreOnlyOnTargetsThatHaveThem() {
    assertThat(cli.call("session", "start", "-t", "local")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("no sessions on target 'local'", "yarn-session");
    assertThat(cli.call("session")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Say start, attach, list or stop");
    assertThat(cli.call("session", "begin")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains(
            "'begin' is not a command of `millrace session`. Say start, attach, list or stop.")
        .contains("See `millrace session --help`.");
  }

  @Test
  void helpShowsOldWordsApart() {
    cli.call("run", "--help");
    assertThat(cli.out())
        .containsPattern("(?s)For clusters on YARN, as older scripts.*-yjm.*-ytm.*-ys.*-yqu")
        .contains("-t yarn-per-job -p 4");
  }

  private static void asked(Option<?> option, String value) {
    assertThat(FakeYarn.asked().entries()).containsEntry(option.key(), value);
  }
}
