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
  private ClusterDirectory place;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    place = ClusterDirectory.byDefault(cli.console());
  }

  private void pretendDead(String... processes) throws IOException {
    place.create();
    for (String process : processes) {
      place.record(new ClusterProcess(process, 1L << 40, 1));
      Files.writeString(place.log(process), "last line\n");
    }
  }

  @Test
  void strayFileKeepsNobodyFromStoppingACluster() throws IOException {
    pretendDead("jobmanager");
    Path stray = Files.writeString(place.root().resolve("core.1234"), "dump");
    assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).contains("Files that are no cluster's are left: [" + stray + "]");
    assertThat(stray).hasContent("dump");
    assertThat(place.secret()).doesNotExist();
  }

  @Test
  void strayFileKeepsNobodyFromStartingAClusterAgain() throws IOException {
    pretendDead("jobmanager");
    Files.createDirectories(place.ha());
    Files.writeString(place.root().resolve("core.1234"), "dump");
    place.withLock(() -> assertThat(new ClusterRestart(cli.console(), place).isNeeded()).isTrue());
  }

  @Test
  void filesThatJobsWroteIntoAWorkingDirectoryStay() throws IOException {
    pretendDead("jobmanager");
    Path counts = place.createWorkingDirectory("taskmanager-1").resolve("counts");
    place.createWorkingDirectory("taskmanager-2");
    Files.writeString(counts, "a 1\n");
    assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
    assertThat(counts).hasContent("a 1\n");
    assertThat(place.root().resolve("work")).isDirectoryNotContaining("glob:**2");
    // And do not keep the next cluster from starting there.
    place.withLock(place::clearRemains);
    assertThat(counts).hasContent("a 1\n");
  }

  @Test
  void processWithADamagedPidFileIsFoundAndStopped() throws Exception {
    for (String damaged : List.of("", "123", "garbage\n", "\0\0\0\0\0\0\0\0", "99999 x\n")) {
      place.create();
      try (FakeServer running = FakeServer.of(place, "jobmanager")) {
        Files.writeString(place.root().resolve("pids").resolve("jobmanager.pid"), damaged);
        Files.writeString(place.root().resolve("pids").resolve("taskmanager-1.pid"), damaged);
        Files.writeString(place.root().resolve("pids").resolve("taskmanager-x.pid"), damaged);
        assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
        assertThat(cli.out())
            .containsPattern("jobmanager +" + running.pid() + " +running")
            .containsPattern("taskmanager-1 +unknown +dead");
        assertThat(cli.call("cluster", "stop", "--no-keep-logs"))
            .as(cli.err())
            .isEqualTo(ExitCodes.OK);
        assertThat(running.awaitEnd()).isTrue();
        assertThat(place.root()).doesNotExist();
      }
    }
  }

  @Test
  void pidFileThatNamesSomebodyElsesProcessLeavesThatAloneAndOursIsStopped() throws Exception {
    place.create();
    try (FakeServer stranger = FakeServer.withArguments("taskmanager-1");
        FakeServer jobManager = FakeServer.of(place, "jobmanager").recordedIn(place);
        FakeServer worker = FakeServer.of(place, "taskmanager-1")) {
      stranger.recordedIn(place);
      assertThat(cli.call("cluster", "status")).as(cli.err()).isIn(ExitCodes.OK, ExitCodes.ERROR);
      assertThat(cli.out()).containsPattern("taskmanager-1 +" + worker.pid() + " ");
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).contains("2 processes ended");
      assertThat(worker.awaitEnd()).isTrue();
      assertThat(jobManager.awaitEnd()).isTrue();
      assertThat(stranger.handle().isAlive()).isTrue();
    }
  }

  @Test
  void processOfSomebodyElseIsNotTakenForOursThatIsGone() throws Exception {
    place.create();
    try (FakeServer stranger = FakeServer.withArguments("jobmanager").recordedIn(place)) {
      assertThat(place.alive()).isEmpty();
      assertThat(place.processes()).containsExactly(ClusterProcess.lost("jobmanager"));
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(stranger.handle().isAlive()).isTrue();
    }
  }

  @Test
  void processWithoutAPidFileIsStoppedToo() throws Exception {
    place.create();
    try (FakeServer jobManager = FakeServer.of(place, "jobmanager").recordedIn(place);
        FakeServer worker = FakeServer.of(place, "taskmanager-2")) {
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(jobManager.awaitEnd()).isTrue();
      assertThat(worker.awaitEnd()).isTrue();
    }
  }

  @Test
  void damagedAddressKeepsNobodyFromStoppingACluster() throws Exception {
    place.create();
    try (FakeServer running = FakeServer.of(place, "jobmanager").recordedIn(place)) {
      Files.writeString(place.root().resolve("rest"), "nowhere");
      Files.writeString(place.conf().resolve("config.yaml"), "{");
      assertThat(cli.call("cluster", "stop")).as(cli.err()).isEqualTo(ExitCodes.OK);
      assertThat(running.awaitEnd()).isTrue();
    }
  }

  @Test
  void logsStayAfterAProcessHasDied() throws IOException {
    pretendDead("jobmanager", "taskmanager-1");
    assertThat(cli.call("cluster", "stop")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .contains("jobmanager, taskmanager-1 had died before. The logs are in " + place.logs());
    assertThat(place.log("jobmanager")).hasContent("last line");

    // The next cluster keeps them for once, also if it does not come to be.
    place.withLock(
        () -> {
          place.clearRemains();
          place.create();
        });
    assertThat(place.root().resolve("log.old").resolve("jobmanager.log")).hasContent("last line");
    place.clearFailedStart();
    assertThat(place.log("jobmanager")).hasContent("last line");
    assertThat(place.root()).isDirectoryNotContaining("glob:**log.old");
  }

  @Test
  void logsGoWithAClusterInWhichNothingDiedOrOnDemand() throws Exception {
    pretendDead("jobmanager");
    assertThat(cli.call("cluster", "stop", "--no-keep-logs")).isEqualTo(ExitCodes.OK);
    assertThat(place.root()).doesNotExist();

    place.create();
    try (FakeServer running = FakeServer.of(place, "jobmanager").recordedIn(place)) {
      assertThat(cli.call("cluster", "stop")).isEqualTo(ExitCodes.OK);
      assertThat(running.awaitEnd()).isTrue();
    }
    assertThat(place.root()).doesNotExist();
  }

  @Test
  void placeThatCannotBeADirectoryIsTheUsersMistake() throws IOException {
    Path file = Files.writeString(directory.resolve("passwd"), "root:x:0:0");
    for (Path given : List.of(file, file.resolve("below"), Path.of("/proc/cluster"))) {
      assertThat(cli.call("cluster", "start", "--dir", given.toString()))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains(given.toString(), "--dir")
          .doesNotContain("mistake of Millrace")
          .hasLineCount(1);
    }
    assertThat(file).hasContent("root:x:0:0");
  }

  @Test
  void reasonOfAFailedStartIsTheLineThatSaysSo() throws IOException {
    place.create();
    assertThat(ProcessLauncher.lastPrinted(place, "jobmanager")).isEmpty();
    Files.writeString(
        place.output("jobmanager"),
        "Picked up something\nJobManager could not start: The port is taken.\nBye\n");
    assertThat(ProcessLauncher.lastPrinted(place, "jobmanager")).contains("The port is taken.");
    Files.writeString(
        place.output("jobmanager"), "\nUnrecognized VM option 'Nonsense'\nError: no JVM\n");
    assertThat(ProcessLauncher.lastPrinted(place, "jobmanager"))
        .contains("Unrecognized VM option 'Nonsense'");
  }
}
