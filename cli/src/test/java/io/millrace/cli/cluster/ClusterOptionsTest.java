package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeServer;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.cluster.ProcessDriverProvider;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options and output of the cluster commands, without a cluster of processes. */
class ClusterOptionsTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory clusterDirectory;
  private FakeRestServer server;

  @BeforeEach
  void start() throws IOException {
    cli = new CommandLineHarness(directory);
    clusterDirectory = ClusterDirectory.byDefault(cli.console());
    server = new FakeRestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--jobmanagers", "--taskmanagers", "--slots", "--max-taskmanagers"})
  void numbersOfAStartMustBePositiveNumbers(String option) {
    for (String value : new String[] {"0", "-1", "many", "1.5", "99999999999"}) {
      assertThat(cli.call("cluster", "start", "--elastic=false", option, value))
          .as(option + " " + value)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).contains(option).contains(value);
    }
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void severalJobManagersNeedAnElectionAndFixedTaskManagers() {
    assertThat(cli.call("cluster", "start", "--jobmanagers", "2")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("set high-availability.type to zookeeper");
    assertThat(
            cli.call(
                "cluster",
                "start",
                "--jobmanagers",
                "2",
                "--elastic",
                "-D",
                "high-availability.type=zookeeper"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("An elastic cluster has one JobManager");
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  @Behaviour("A2: a cluster that cannot start names its reason and leaves no process")
  void numberThatIsNoPortIsRefused() {
    for (String option : new String[] {"--rest-port", "--rpc-port"}) {
      assertThat(cli.call("cluster", "start", option, "70000")).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .contains(option + " requires a port", "'70000' is not a port from 0 to 65535.");
    }
    assertThat(clusterDirectory.root()).doesNotExist();
  }

  @Test
  void commandsHaveNoParametersTheyDoNotUse() {
    for (String command : new String[] {"start", "add", "limit", "status", "stop"}) {
      assertThat(cli.call("cluster", command, "now")).as(command).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).contains("See `millrace cluster " + command + " --help`.");
    }
  }

  @Test
  void limitRequiresANumber() {
    assertThat(cli.call("cluster", "limit")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--max-taskmanagers");
    assertThat(cli.call("cluster", "limit", "--max-taskmanagers", "-3")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo("millrace: --max-taskmanagers requires a number of at least 1, not -3.\n");
  }

  @Test
  void addRequiresAPositiveNumberAndACluster() {
    assertThat(cli.call("cluster", "add", "--taskmanagers", "0")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("requires a number of at least 1, not 0");
    assertThat(cli.call("cluster", "add")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: No cluster runs in "
                + clusterDirectory.root()
                + ". Start one with `millrace cluster start`.\n");
  }

  @Test
  void directoryOfTheCommandWinsOverThatOfTheEnvironment() {
    Path other = directory.resolve("other");
    for (String command : new String[] {"status", "stop", "add"}) {
      assertThat(cli.call("cluster", command, "--dir", other.toString()))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).contains("No cluster runs in " + other);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "", "10 parsecs", "-5min"})
  void timeOfABlockMustBeADuration(String time) {
    assertThat(block("w1", "--for", time)).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--for requires a time").contains("'" + time + "'");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void timeOfABlockIsAtLeastASecond() {
    assertThat(block("w1", "--for", "999ms")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo("millrace: --for requires a time of at least 1 s, not '999ms'.\n");
  }

  @Test
  void blocksWithTimeAndReason() {
    server.answer("POST /blocklist?target=w1&seconds=90&cause=its%20disk%20fails", "{}");
    assertThat(block("w1", "--for", "90s", "--because", "its disk fails")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("w1 is blocked for 1 min 30 s.\n");
  }

  @Test
  void refusalOfABlockIsOneLine() {
    server.answer(
        "POST /blocklist?target=w9&seconds=600&cause=blocked%20by%20hand",
        404, "{\"errors\":[\"There is no TaskManager or node 'w9'.\"]}");
    assertThat(block("w9")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: There is no TaskManager or node 'w9'.\n");
  }

  @Test
  void blocklistHasColumns() {
    server.answer(
        "GET /blocklist",
        """
        {"blocked":[{"target":"w1","seconds-left":61,"cause":"disk\\nfails"},
                    {"target":"a-long-name","seconds-left":5,"cause":"fan"}]}
        """);
    assertThat(block()).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .containsExactly(
            "NAME         LEFT       BECAUSE",
            "w1           1 min 1 s  disk fails",
            "a-long-name  5 s        fan");
  }

  @Test
  void emptyBlocklistIsOneSentence() {
    server.answer("GET /blocklist", "{\"blocked\":[]}");
    assertThat(block()).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Nothing is blocked.\n");
  }

  @Test
  void unblockRequiresAName() {
    assertThat(cli.call("cluster", "unblock")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("NAME").contains("millrace cluster unblock --help");
    server.answer("DELETE /blocklist/w1", "{}");
    assertThat(cli.call("cluster", "unblock", "w1", "-m", server.address().toString()))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("w1 is no longer blocked.\n");
  }

  @Test
  @Behaviour(
      "A2: cluster start refuses a second cluster in the same directory, and status shows each"
          + " process and slot")
  void statusShowsProcessesAndSlots() throws IOException {
    server.answer(
        "GET /taskmanagers",
        "{\"taskmanagers\":[{\"id\":\"taskmanager-1\",\"slotsNumber\":4,\"freeSlots\":3}]}");
    try (FakeServer jobManager = running(ClusterProcess.JOB_MANAGER);
        FakeServer registered = running("taskmanager-1");
        FakeServer starting = running("taskmanager-2")) {
      assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.OK);
      assertThat(cli.out().lines().map(line -> line.replaceAll(" +", " ")))
          .containsExactly(
              "Directory: " + clusterDirectory.root(),
              "REST address: http://" + server.address(),
              "PROCESS PID STATE SLOTS FREE",
              "jobmanager " + jobManager.pid() + " running - -",
              "taskmanager-1 " + registered.pid() + " running 4 3",
              "taskmanager-2 " + starting.pid() + " not registered - -");
      assertThat(cli.err()).isEmpty();
    }
  }

  @Test
  void statusOfAnElasticClusterNamesItsLimit() throws IOException {
    server.answer("GET /taskmanagers", "{\"taskmanagers\":[]}");
    try (FakeServer jobManager = running(ClusterProcess.JOB_MANAGER)) {
      assertThat(jobManager.handle().isAlive()).isTrue();
      Configuration elastic =
          Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, ProcessDriverProvider.NAME);
      ConfigurationFile.write(
          elastic.with(ProcessOptions.MAX_TASK_MANAGERS, 3), clusterDirectory.conf());
      assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.OK);
      assertThat(cli.out())
          .contains("TaskManagers: started and ended as the jobs need them, at most 3\n");
      ConfigurationFile.write(elastic, clusterDirectory.conf());
      cli.call("cluster", "status");
      assertThat(cli.out()).contains("at most one per processor\n");
    }
  }

  @Test
  void statusOfADeadJobManagerNamesTheCommandThatRestartsIt() throws IOException {
    clusterDirectory.create();
    clusterDirectory.record(new ClusterProcess(ClusterProcess.JOB_MANAGER, 1L << 40, 1));
    assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.out()).containsPattern("jobmanager +\\d+ +dead");
    assertThat(cli.err()).contains("Restart it with `millrace cluster start`");
  }

  @Test
  void statusOfAJobManagerThatDoesNotAnswerIsOneLine() throws IOException {
    try (FakeServer jobManager = running(ClusterProcess.JOB_MANAGER)) {
      assertThat(jobManager.handle().isAlive()).isTrue();
      server.answer("GET /taskmanagers", 503, "{\"errors\":[\"There is no leader.\"]}");
      assertThat(cli.call("cluster", "status")).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: There is no leader.\n");
    }
  }

  @Test
  void logsAreKeptOrRemovedOnRequest() throws IOException {
    for (String option : new String[] {"--keep-logs", "--no-keep-logs"}) {
      clusterDirectory.create();
      clusterDirectory.record(new ClusterProcess(ClusterProcess.JOB_MANAGER, 1L << 40, 1));
      Files.writeString(clusterDirectory.log(ClusterProcess.JOB_MANAGER), "line");
      assertThat(cli.call("cluster", "stop", option)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("Cluster stopped: 0 processes ended\n");
      assertThat(Files.exists(clusterDirectory.logs())).isEqualTo(option.equals("--keep-logs"));
      clusterDirectory.clearRemains();
    }
  }

  @Test
  void tailOfALogHasItsLastLines() throws IOException {
    clusterDirectory.create();
    assertThat(ProcessLauncher.tail(clusterDirectory, "jobmanager", 2)).isEmpty();
    Files.writeString(clusterDirectory.log("jobmanager"), "1\n2\n3\n");
    assertThat(ProcessLauncher.tail(clusterDirectory, "jobmanager", 2)).containsExactly("2", "3");
    assertThat(ProcessLauncher.tail(clusterDirectory, "jobmanager", 9)).hasSize(3);
  }

  private FakeServer running(String name) throws IOException {
    if (!Files.exists(clusterDirectory.secret())) {
      clusterDirectory.create();
      clusterDirectory.writeAddress(server.address());
    }
    return FakeServer.of(clusterDirectory, name).recordedIn(clusterDirectory);
  }

  private int block(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("cluster", "block", "-m", server.address().toString()));
    arguments.addAll(List.of(more));
    return cli.call(arguments.toArray(new String[0]));
  }
}
