package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeServer;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.ProcessEnvironment;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.cluster.ProcessDriverProvider;
import io.millrace.cluster.process.OsProcess;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCommandsTest {
  private static final String JOB = "0123456789abcdef0123456789abcdef";

  /** The answer of a JobManager that is shutting down. */
  private static final String UNAVAILABLE = "{\"errors\":[\"No JobManager is the leader\"]}";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory clusterDirectory;
  private final List<FakeServer> servers = new ArrayList<>();

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    clusterDirectory = ClusterDirectory.byDefault(cli.console());
  }

  @AfterEach
  void endServers() {
    servers.forEach(FakeServer::close);
  }

  @Test
  void commandsNameTheDirectoryInWhichNoClusterRuns() {
    for (String command : new String[] {"add", "status", "stop"}) {
      assertThat(cli.call("cluster", command)).as(command).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains("No cluster runs in " + clusterDirectory.root())
          .hasLineCount(1);
    }
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  @Behaviour("A2: a cluster that cannot start names its reason and leaves no process")
  void portInUseIsOneLineAndLeavesNothing() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      assertThat(cli.call("cluster", "start", "--rest-port", port)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .startsWith("millrace: Cannot listen on 127.0.0.1:" + port + " (--rest-port)")
          .contains("--rest-port")
          .hasLineCount(1);
    }
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  @Behaviour("A2: a cluster that cannot start names its reason and leaves no process")
  void sizesThatContradictEachOtherStartNothing() {
    assertThat(
            cli.call(
                "cluster",
                "start",
                "-D",
                "taskmanager.memory.process.size=1g",
                "-D",
                "taskmanager.memory.flink.size=1g"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .contains("taskmanager.memory.process.size (1gb) is too small")
        .hasLineCount(1);
    assertThat(clusterDirectory.processes()).isEmpty();
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void numbersMustBePositive() {
    assertThat(cli.call("cluster", "start", "--taskmanagers", "0")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--taskmanagers requires a number of at least 1");
    assertThat(cli.call("cluster", "start", "--slots", "0")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--slots requires a number of at least 1");
  }

  @Test
  void emptyDirectoryIsRefused() {
    for (String command : List.of("start", "status", "stop")) {
      assertThat(cli.call("cluster", command, "--dir", "")).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).contains("--dir is empty");
    }
  }

  @Test
  @Behaviour(
      "A2: cluster start refuses a second cluster in the same directory, and status shows each"
          + " process and slot")
  void secondClusterInADirectoryIsRefused() throws IOException {
    startFakeJobManager(new HostPort("127.0.0.1", 8081));
    assertThat(cli.call("cluster", "start")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .contains("A cluster already runs in " + clusterDirectory.root())
        .contains("REST at 127.0.0.1:8081")
        .hasLineCount(1);
    assertThat(clusterDirectory.processes()).hasSize(1);
  }

  @Test
  void clusterIsRestartedOnlyIfItHasLostItsJobManager() throws Exception {
    ClusterRestart restart = new ClusterRestart(cli.console(), clusterDirectory);
    assertThat(restart.isNeeded()).as("nothing there").isFalse();
    startFakeJobManager(new HostPort("127.0.0.1", 8081));
    assertThat(restart.isNeeded()).as("it runs").isFalse();
    servers.get(0).end();
    assertThat(restart.isNeeded()).as("nothing to go on with").isFalse();
    servers.add(FakeServer.of(clusterDirectory, "taskmanager-1").recordedIn(clusterDirectory));
    assertThat(restart.isNeeded()).as("a TaskManager lives").isTrue();
    servers.get(1).end();
    Files.createDirectories(clusterDirectory.ha());
    assertThat(restart.isNeeded()).as("jobs may be stored").isTrue();
  }

  @Test
  void filesOfAKilledProcessAreRemovedAndOthersAreNot() throws IOException {
    clusterDirectory.create();
    Files.createDirectories(
        clusterDirectory.tmp().resolve("millrace-jobmanager-1").resolve("uploads"));
    Path living = Files.createDirectories(clusterDirectory.tmp().resolve("millrace-taskmanager-1"));
    clusterDirectory.clearFilesOf(ClusterProcess.JOB_MANAGER);
    assertThat(clusterDirectory.tmp().resolve("millrace-jobmanager-1")).doesNotExist();
    assertThat(living).exists();
  }

  @Test
  void directoryWithOtherFilesIsNotChanged() throws IOException {
    Files.createDirectories(clusterDirectory.root());
    Files.writeString(clusterDirectory.root().resolve("thesis.txt"), "words");
    assertThat(cli.call("cluster", "start")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("contains other files").contains("--dir");
    assertThat(clusterDirectory.root().resolve("thesis.txt")).hasContent("words");
  }

  @Test
  void directoryIsInTheHomeThatTheShellNames() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("HOME", directory.toString());
    Console console =
        new Console(System.out, System.err, new ProcessEnvironment(environment, Optional.empty()));
    assertThat(ClusterDirectory.byDefault(console).root())
        .isEqualTo(directory.resolve(".millrace").resolve("cluster"));
  }

  @Test
  void secretIsReadableByItsOwnerOnly() throws IOException {
    clusterDirectory.create();
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(clusterDirectory.secret())))
        .isEqualTo("rw-------");
    assertThat(Files.readString(clusterDirectory.secret())).matches("[0-9a-f]{64}");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(clusterDirectory.root())))
        .isEqualTo("rwx------");
  }

  @Test
  void clearRemovesWhatWasMadeAndNothingElse() throws IOException {
    clusterDirectory.create();
    Files.writeString(clusterDirectory.log("jobmanager"), "line");
    clusterDirectory.clear(true);
    assertThat(clusterDirectory.log("jobmanager")).hasContent("line");
    assertThat(clusterDirectory.secret()).doesNotExist();
    clusterDirectory.clear(false);
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void onlyOneCommandAtATimeChangesADirectory() throws IOException {
    clusterDirectory.withLock(
        () ->
            assertThatThrownBy(() -> clusterDirectory.withLock(() -> {}))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("Another command"));
    clusterDirectory.withLock(() -> {});
  }

  @Test
  void processWithAReusedPidIsNotThatOfTheCluster() {
    ClusterProcess own = ClusterProcess.of("jobmanager", ProcessHandle.current());
    assertThat(own.isAlive()).isTrue();
    assertThat(new ClusterProcess("jobmanager", own.pid(), own.startedAt() - 10_000).isAlive())
        .isFalse();
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void listAndCancelFindTheClusterOfThisMachine() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(
          "GET /jobs/overview",
          "{\"jobs\":[{\"jid\":\""
              + JOB
              + "\",\"name\":\"counter\",\"jobType\":\"STREAMING\",\"state\":\"RUNNING\","
              + "\"start-time\":1000,\"end-time\":-1,\"last-modification\":1,"
              + "\"tasks\":{\"running\":2},\"waiting-for\":\"2 of 4 slots\"},"
              + "{\"jid\":\"ffffffffffffffffffffffffffffffff\",\"name\":\"old\","
              + "\"jobType\":\"BATCH\",\"state\":\"FINISHED\",\"start-time\":1,\"end-time\":2,"
              + "\"last-modification\":2,\"tasks\":{}}]}");
      server.answer("PATCH /jobs/" + JOB + "?mode=cancel", "{}");
      server.answer(
          "GET /jobs/" + JOB + "/result?wait=30000", "{\"status\":\"CANCELED\",\"runtime\":1}");
      server.answer(
          "GET /taskmanagers",
          "{\"taskmanagers\":[{\"id\":\"taskmanager-1\",\"slotsNumber\":4,\"freeSlots\":3}]}");
      startFakeJobManager(server.address());

      assertThat(cli.call("list")).isEqualTo(ExitCodes.OK);
      assertThat(cli.out())
          .containsPattern(JOB + "  RUNNING  .* counter\n")
          .contains("  waiting: 2 of 4 slots.\n")
          .doesNotContain("old");
      cli.call("list", "-a");
      assertThat(cli.out()).contains("FINISHED").contains("old");

      assertThat(cli.call("cancel", JOB)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("Job " + JOB + " is CANCELED\n");
      assertThat(cli.call("cancel", "f".repeat(32))).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).contains("knows no job " + "f".repeat(32)).hasLineCount(1);
      assertThat(cli.call("cancel", "0123")).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains("'0123' is not a job id", "32 hex digits", "millrace list")
          .hasLineCount(1);

      clusterDirectory.record(new ClusterProcess("taskmanager-1", 1L << 40, 1));
      assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.out())
          .contains("REST address: http://" + server.address())
          .containsPattern("jobmanager +\\d+ +running")
          .containsPattern("taskmanager-1 +\\d+ +dead");
    }
  }

  @Test
  void numberOfTaskManagersIsRefusedForAnElasticCluster() {
    assertThat(cli.call("cluster", "start", "--elastic", "--taskmanagers", "2"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--max-taskmanagers").hasLineCount(1);
    assertThat(cli.call("cluster", "start", "--max-taskmanagers", "2")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Add --elastic").hasLineCount(1);
    assertThat(
            cli.call(
                "cluster", "start", "-D", "resourcemanager.driver=process", "--taskmanagers", "2"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Omit --taskmanagers").hasLineCount(1);
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void nothingIsAddedToAnElasticCluster() throws IOException {
    startFakeJobManager(new HostPort("127.0.0.1", 8081));
    ConfigurationFile.write(
        Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, ProcessDriverProvider.NAME),
        clusterDirectory.conf());
    assertThat(cli.call("cluster", "add")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .contains("This cluster is elastic")
        .contains("cluster limit --max-taskmanagers")
        .hasLineCount(1);
  }

  @Test
  void limitIsSentToTheJobManagerAndStoredForItsRestart() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer("PATCH /taskmanagers?most=5", "{}");
      startFakeJobManager(server.address());
      ConfigurationFile.write(
          Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, ProcessDriverProvider.NAME),
          clusterDirectory.conf());
      assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "5")).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("The cluster has up to 5 TaskManagers\n");
      assertThat(clusterDirectory.configuration().get(ProcessOptions.MAX_TASK_MANAGERS))
          .isEqualTo(5);
      assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "6"))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(clusterDirectory.configuration().get(ProcessOptions.MAX_TASK_MANAGERS))
          .isEqualTo(5);
      assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "0"))
          .isNotEqualTo(ExitCodes.OK);
      assertThat(cli.err()).contains("at least 1");
    }
  }

  @Test
  void limitIsSentToAClusterAtAnAddress() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer("PATCH /taskmanagers?most=5", "{}");
      String address = server.address().toString();
      assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "5", "-m", address))
          .isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("The cluster has up to 5 TaskManagers\n");
      assertThat(cli.err()).contains("a restarted JobManager uses the limit of its configuration");
      assertThat(clusterDirectory.root()).doesNotExist();
    }
  }

  @Test
  void blockIsSentToTheClusterOfADirectory() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer("POST /blocklist?target=w1&seconds=600&cause=blocked%20by%20hand", "{}");
      server.answer(
          "POST /blocklist?target=w2&seconds=600&cause=blocked%20by%20hand&future=true", "{}");
      server.answer("DELETE /blocklist/w1", "{}");
      clusterDirectory = new ClusterDirectory(directory.resolve("other"));
      startFakeJobManager(server.address());
      String other = clusterDirectory.root().toString();
      assertThat(cli.call("cluster", "block", "w1", "--dir", other)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("w1 is blocked for 10 min.\n");
      assertThat(cli.call("cluster", "block", "w2", "--future", "--dir", other))
          .isEqualTo(ExitCodes.OK);
      assertThat(cli.call("cluster", "unblock", "w1", "--dir", other)).isEqualTo(ExitCodes.OK);
      for (String command : new String[] {"block", "unblock"}) {
        assertThat(cli.call("cluster", command, "w1", "--dir", directory + "/none"))
            .as(command)
            .isEqualTo(ExitCodes.ERROR);
        assertThat(cli.err()).contains("No cluster runs in " + directory + "/none");
        assertThat(cli.call("cluster", command, "w1", "--dir", other, "-m", "127.0.0.1:1"))
            .as(command)
            .isEqualTo(ExitCodes.USAGE);
        assertThat(cli.err()).contains("-m and --dir").hasLineCount(1);
      }
      assertThat(
              cli.call(
                  "cluster",
                  "limit",
                  "--max-taskmanagers",
                  "2",
                  "--dir",
                  other,
                  "-m",
                  "127.0.0.1:1"))
          .isEqualTo(ExitCodes.USAGE);
    }
  }

  @Test
  void fixedClusterHasNoLimit() throws IOException {
    startFakeJobManager(new HostPort("127.0.0.1", 8081));
    ConfigurationFile.write(Configuration.EMPTY, clusterDirectory.conf());
    assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "5")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("cluster add").hasLineCount(1);
  }

  @Test
  void workersOfADeadJobManagerAreShownAndStopped() throws Exception {
    clusterDirectory.create();
    clusterDirectory.record(new ClusterProcess(ClusterProcess.JOB_MANAGER, 1L << 40, 1));
    try (FakeServer worker =
        FakeServer.withArguments("worker", "taskmanager.resource-id=process-00c0ffee-1")) {
      Path files = clusterDirectory.root().resolve("workers").resolve("process-00c0ffee-1");
      Files.createDirectories(files.resolve("tmp"));
      Files.writeString(files.resolve("pid"), OsProcess.of(worker.handle()).toLine());
      Files.createDirectories(
          clusterDirectory.root().resolve("workers").resolve("process-00c0ffee-2"));

      assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.out())
          .containsPattern("jobmanager +\\d+ +dead")
          .containsPattern("process-00c0ffee-1 +" + worker.pid() + " +not registered")
          .doesNotContain("process-00c0ffee-2");

      assertThat(cli.call("cluster", "stop")).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).contains("Cluster stopped: 1 process ended");
      assertThat(worker.awaitEnd()).isTrue();
      assertThat(clusterDirectory.processes()).isEmpty();
    }
  }

  @Test
  void clusterMayEndWithItsCancelledJob() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer("PATCH /jobs/" + JOB + "?mode=cancel", "{}");
      server.answer("GET /jobs/" + JOB + "/result?wait=30000", 503, UNAVAILABLE);
      startFakeJobManager(server.address());
      assertThat(cli.call("cancel", JOB)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).startsWith("Job " + JOB + " is being cancelled.");
    }
  }

  /** Starts a process that has the arguments of a JobManager. */
  private void startFakeJobManager(HostPort address) throws IOException {
    clusterDirectory.create();
    clusterDirectory.writeAddress(address);
    servers.add(
        FakeServer.of(clusterDirectory, ClusterProcess.JOB_MANAGER).recordedIn(clusterDirectory));
  }
}
