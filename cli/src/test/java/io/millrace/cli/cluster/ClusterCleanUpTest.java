package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeServer;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCleanUpTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory clusterDirectory;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    clusterDirectory = ClusterDirectory.byDefault(cli.console());
  }

  private void recordDeadProcesses(String... processes) throws IOException {
    clusterDirectory.create();
    for (String process : processes) {
      clusterDirectory.record(new ClusterProcess(process, 1L << 40, 1));
      Files.writeString(clusterDirectory.log(process), "last line\n");
    }
  }

  @Test
  void clusterWithAnotherFileInItsDirectoryCanBeStopped() throws IOException {
    recordDeadProcesses("jobmanager");
    Path stray = Files.writeString(clusterDirectory.root().resolve("core.1234"), "dump");
    assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .contains("Files that do not belong to the cluster are kept: [" + stray + "]");
    assertThat(stray).hasContent("dump");
    assertThat(clusterDirectory.secret()).doesNotExist();
  }

  @Test
  void clusterWithAnotherFileInItsDirectoryCanBeRestarted() throws IOException {
    recordDeadProcesses("jobmanager");
    Files.createDirectories(clusterDirectory.ha());
    Files.writeString(clusterDirectory.root().resolve("core.1234"), "dump");
    clusterDirectory.withLock(
        () -> assertThat(new ClusterRestart(cli.console(), clusterDirectory).isNeeded()).isTrue());
  }

  @Test
  void filesThatJobsWroteIntoAWorkingDirectoryStay() throws IOException {
    recordDeadProcesses("jobmanager");
    Path counts = clusterDirectory.createWorkingDirectory("taskmanager-1").resolve("counts");
    clusterDirectory.createWorkingDirectory("taskmanager-2");
    Files.writeString(counts, "a 1\n");
    assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
    assertThat(counts).hasContent("a 1\n");
    assertThat(clusterDirectory.root().resolve("work")).isDirectoryNotContaining("glob:**2");
    // And do not keep the next cluster from starting there.
    clusterDirectory.withLock(clusterDirectory::clearRemains);
    assertThat(counts).hasContent("a 1\n");
  }

  @Test
  void processWithADamagedPidFileIsFoundAndStopped() throws Exception {
    for (String damaged : List.of("", "123", "garbage\n", "\0\0\0\0\0\0\0\0", "99999 x\n")) {
      clusterDirectory.create();
      try (FakeServer running = FakeServer.of(clusterDirectory, "jobmanager")) {
        Files.writeString(
            clusterDirectory.root().resolve("pids").resolve("jobmanager.pid"), damaged);
        Files.writeString(
            clusterDirectory.root().resolve("pids").resolve("taskmanager-1.pid"), damaged);
        Files.writeString(
            clusterDirectory.root().resolve("pids").resolve("taskmanager-x.pid"), damaged);
        assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
        assertThat(cli.out())
            .containsPattern("jobmanager +" + running.pid() + " +running")
            .containsPattern("taskmanager-1 +unknown +dead");
        assertThat(cli.call("cluster", "stop", "--no-keep-logs"))
            .as(cli.err())
            .isEqualTo(ExitCodes.OK);
        assertThat(running.awaitEnd()).isTrue();
        assertThat(clusterDirectory.root()).doesNotExist();
      }
    }
  }

  @Test
  void otherProcessInAPidFileIsNotStoppedAndThatOfTheClusterIs() throws Exception {
    clusterDirectory.create();
    try (FakeServer other = FakeServer.withArguments("taskmanager-1");
        FakeServer jobManager =
            FakeServer.of(clusterDirectory, "jobmanager").recordedIn(clusterDirectory);
        FakeServer worker = FakeServer.of(clusterDirectory, "taskmanager-1")) {
      other.recordedIn(clusterDirectory);
      assertThat(cli.call("cluster", "status")).as(cli.err()).isIn(ExitCodes.OK, ExitCodes.ERROR);
      assertThat(cli.out()).containsPattern("taskmanager-1 +" + worker.pid() + " ");
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).contains("2 processes ended");
      assertThat(worker.awaitEnd()).isTrue();
      assertThat(jobManager.awaitEnd()).isTrue();
      assertThat(other.handle().isAlive()).isTrue();
    }
  }

  @Test
  void otherProcessWithThePidOfADeadOneIsNotThatOfTheCluster() throws Exception {
    clusterDirectory.create();
    try (FakeServer other = FakeServer.withArguments("jobmanager").recordedIn(clusterDirectory)) {
      assertThat(clusterDirectory.alive()).isEmpty();
      assertThat(clusterDirectory.processes()).containsExactly(ClusterProcess.lost("jobmanager"));
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(other.handle().isAlive()).isTrue();
    }
  }

  @Test
  void processWithoutAPidFileIsStoppedToo() throws Exception {
    clusterDirectory.create();
    try (FakeServer jobManager =
            FakeServer.of(clusterDirectory, "jobmanager").recordedIn(clusterDirectory);
        FakeServer worker = FakeServer.of(clusterDirectory, "taskmanager-2")) {
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(jobManager.awaitEnd()).isTrue();
      assertThat(worker.awaitEnd()).isTrue();
    }
  }

  @Test
  void clusterWithADamagedAddressCanBeStopped() throws Exception {
    clusterDirectory.create();
    try (FakeServer running =
        FakeServer.of(clusterDirectory, "jobmanager").recordedIn(clusterDirectory)) {
      Files.writeString(clusterDirectory.root().resolve("rest"), "nowhere");
      Files.writeString(clusterDirectory.conf().resolve("config.yaml"), "{");
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(running.awaitEnd()).isTrue();
    }
  }

  @Test
  void logsStayAfterAProcessHasDied() throws IOException {
    recordDeadProcesses("jobmanager", "taskmanager-1");
    assertThat(cli.call("cluster", "stop")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .contains(
            "jobmanager, taskmanager-1 had died before. The logs are in "
                + clusterDirectory.logs());
    assertThat(clusterDirectory.log("jobmanager")).hasContent("last line");

    // The next cluster keeps them for once, also if it does not come to be.
    clusterDirectory.withLock(
        () -> {
          clusterDirectory.clearRemains();
          clusterDirectory.create();
        });
    assertThat(clusterDirectory.root().resolve("log.old").resolve("jobmanager.log"))
        .hasContent("last line");
    clusterDirectory.clearFailedStart();
    assertThat(clusterDirectory.log("jobmanager")).hasContent("last line");
    assertThat(clusterDirectory.root()).isDirectoryNotContaining("glob:**log.old");
  }

  @Test
  void logsGoWithAClusterInWhichNothingDiedOrOnDemand() throws Exception {
    recordDeadProcesses("jobmanager");
    assertThat(cli.call("cluster", "stop", "--no-keep-logs")).isEqualTo(ExitCodes.OK);
    assertThat(clusterDirectory.root()).doesNotExist();

    clusterDirectory.create();
    try (FakeServer running =
        FakeServer.of(clusterDirectory, "jobmanager").recordedIn(clusterDirectory)) {
      assertThat(cli.call("cluster", "stop")).isEqualTo(ExitCodes.OK);
      assertThat(running.awaitEnd()).isTrue();
    }
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void pathThatCannotBeADirectoryIsAnErrorOfTheUser() throws IOException {
    Path file = Files.writeString(directory.resolve("passwd"), "root:x:0:0");
    for (Path given : List.of(file, file.resolve("below"), Path.of("/proc/cluster"))) {
      assertThat(cli.call("cluster", "start", "--dir", given.toString()))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains(given.toString(), "--dir")
          .doesNotContain("error in Millrace")
          .hasLineCount(1);
    }
    assertThat(file).hasContent("root:x:0:0");
  }

  @Test
  void reasonOfAFailedStartIsTheLineThatTheServerPrinted() throws IOException {
    clusterDirectory.create();
    assertThat(ProcessLauncher.printedReason(clusterDirectory, "jobmanager")).isEmpty();
    Files.writeString(
        clusterDirectory.output("jobmanager"),
        "Picked up something\nJobManager could not start: The port is taken.\nBye\n");
    assertThat(ProcessLauncher.printedReason(clusterDirectory, "jobmanager"))
        .contains("The port is taken.");
    Files.writeString(
        clusterDirectory.output("jobmanager"),
        "\nUnrecognized VM option 'Nonsense'\nError: no JVM\n");
    assertThat(ProcessLauncher.printedReason(clusterDirectory, "jobmanager"))
        .contains("Unrecognized VM option 'Nonsense'");
  }
}
