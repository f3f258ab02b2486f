package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GatedCount;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.AdditionalNodeManager;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on a YARN with a full queue, missing permissions or failures. */
class YarnFailuresIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension static final OnYarn YARN = new OnYarn(SHELL);

  private static final String WORKER = "TaskManagerProcess";

  @TempDir private Path own;

  /** A killed TaskManager is replaced. A restarted JobManager reuses the same TaskManagers. */
  @ParameterizedTest
  @ValueSource(strings = {WORKER, "YarnJobProcess"})
  void jobContinuesAfterAKilledProcess(String victim) throws Exception {
    ApplicationId application = startGatedCount("-D high-availability.type=file");
    Set<Long> workers = OnYarn.pids(application, WORKER);
    kill(application, victim);
    Set<Long> seen = countsAreRight(application);
    if (victim.equals("YarnJobProcess")) {
      assertThat(seen).as("the TaskManagers of the first JobManager").isEqualTo(workers);
    }
  }

  /** The restarted ResourceManager recovers the application and continues to serve it. */
  @Test
  @Behaviour(
      "D9: a restart of YARN's ResourceManager loses no worker and no request, and leaves no"
          + " excess container")
  void jobContinuesAfterARestartOfTheResourceManager() throws Exception {
    ApplicationId application = startGatedCount("");
    Set<Long> workers = OnYarn.pids(application, WORKER);
    Set<Long> masters = OnYarn.pids(application, "YarnJobProcess");
    OnYarn.hadoop().restartResourceManager();
    assertThat(OnYarn.pids(application, WORKER)).isEqualTo(workers);
    kill(application, WORKER);
    assertThat(OnYarn.pids(application, "YarnJobProcess")).isEqualTo(masters);
    Wait.untilTrue(
        "two containers are in use, and none besides",
        () ->
            OnYarn.report(application).getApplicationResourceUsageReport().getNumUsedContainers()
                == 2);
    countsAreRight(application);
  }

  /** The NodeManager is gone but its containers still run; their results must not count. */
  @Test
  @Behaviour(
      "D9: a job survives the loss of a node with exact results, even while its containers run on")
  void jobContinuesAfterALostNode() throws Exception {
    NodeId other = OnYarn.hadoop().nodeId(0);
    try (AdditionalNodeManager node = OnYarn.hadoop().addNode()) {
      OnYarn.hadoop().label(node.id(), true);
      ApplicationId application =
          startGatedCount("-D yarn.taskmanager.node-label=" + MiniHadoop.LABEL);
      Set<Long> workers = OnYarn.pids(application, WORKER);
      OnYarn.hadoop().label(other, true);
      node.fallSilent();
      Wait.untilTrue(
          "another TaskManager is there",
          () -> {
            Set<Long> now = OnYarn.pids(application, WORKER);
            return !now.isEmpty() && !workers.containsAll(now);
          });
      countsAreRight(application);
    } finally {
      OnYarn.hadoop().label(other, false);
    }
  }

  /** A TaskManager on another node replaces the one on the node before that ends. */
  @Test
  @Behaviour("D9: workers on a node that YARN decommissions are drained")
  void jobLeavesADecommissionedNodeWithOneRestart() throws Exception {
    NodeId other = OnYarn.hadoop().nodeId(0);
    try (AdditionalNodeManager node = OnYarn.hadoop().addNode()) {
      OnYarn.hadoop().label(node.id(), true);
      ApplicationId application =
          startGatedCount("-D yarn.taskmanager.node-label=" + MiniHadoop.LABEL);
      Set<Long> workers = OnYarn.pids(application, WORKER);
      OnYarn.hadoop().label(other, true);
      OnYarn.hadoop().decommission(node.id(), 600);
      Wait.untilTrue(
          "only another TaskManager is there",
          () -> {
            Set<Long> now = OnYarn.pids(application, WORKER);
            return now.size() == 1 && !workers.containsAll(now);
          });
      String job = OnYarn.jobOf(YARN.millrace("list -yid " + application).succeeded().toString());
      assertThat(YARN.millrace("timeline -yid " + application + " " + job).succeeded().toString())
          .contains("Restart 1")
          .doesNotContain("Restart 2");
      Outcome explained = YARN.millrace("explain -yid " + application + " " + job).succeeded();
      assertThat(String.join(" ", explained.out()).replaceAll("\\s+", " "))
          .contains("YARN decommissions its node");
      countsAreRight(application);
    } finally {
      OnYarn.hadoop().label(other, false);
    }
  }

  @Test
  @Behaviour(
      "D11: client and explain say that the queue is full, and the job goes on when it is not")
  void jobReportsAFullQueueAndContinuesWhenThereIsRoom() throws Exception {
    String output = OnYarn.output();
    Command run;
    try (CompetingApplication other = CompetingApplication.of(OnYarn.hadoop(), "small")) {
      // Leaves room for the JobManager only.
      other.take(2, 1024);
      run =
          YARN.start(
              Map.of(),
              OnYarn.wordCountLine("-t yarn-per-job -D yarn.application.queue=small", output));
      ApplicationId application =
          OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
      String job = OnYarn.jobOf(run.awaitLine(line -> line.contains("has been submitted")));
      String why = run.awaitLine(line -> line.contains("YARN was asked for 1 container"));
      assertThat(why).satisfies(YarnFailuresIT::namesTheQueue);
      Outcome explained = YARN.millrace("explain -yid " + application + " " + job).succeeded();
      assertThat(String.join(" ", explained.out()).replaceAll("\\s+", " "))
          .satisfies(YarnFailuresIT::namesTheQueue);
    }
    Outcome ended = run.await().succeeded();
    assertThat(OnYarn.counts(output)).hasSize(4).contains("the\t2001");
    assertThat(OnYarn.ended(OnYarn.applicationOf(ended)).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.SUCCEEDED);
  }

  private static void namesTheQueue(String text) {
    assertThat(text)
        .contains("1 container of 1024 mb and 2 vcores")
        .contains("queue 'root.small'")
        .contains("25 %")
        .contains("the largest container that can be asked for: " + MiniHadoop.MAXIMUM_MB + " mb");
  }

  @Test
  @Behaviour(
      "B4: a client learns from YARN that its JobManager was killed, and does not take YARN's own"
          + " page for the JobManager")
  void attachedClientReportsThatTheJobManagerWasKilled() throws Exception {
    Command run = YARN.start(Map.of(), "run -t yarn-per-job " + Shell.example("rate-counter.jar"));
    ApplicationId application =
        OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
    run.awaitLine(line -> line.contains("has been submitted"));
    for (long pid : OnYarn.pids(application, "YarnJobProcess")) {
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }
    Outcome ended = run.await();
    assertThat(ended.code()).as("%s", ended).isEqualTo(3);
    assertThat(String.join(" ", ended.err())).contains("exit code 137");
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour(
      "A8: missing permissions in HDFS are named, with exit code 1, and nothing is left in HDFS or"
          + " YARN")
  void missingPermissionInHdfsIsReportedAndNothingIsLeft() throws Exception {
    Map<String, String> stranger = Map.of("HADOOP_USER_NAME", "stranger");
    Outcome home =
        YARN.start(stranger, OnYarn.wordCountLine("-t yarn-per-job", OnYarn.output())).await();
    assertThat(home.code()).isEqualTo(1);
    assertThat(home.refusedInOneLine())
        .contains("User stranger may not create", "yarn.staging-directory");

    org.apache.hadoop.fs.Path open = OnYarn.path("/open");
    OnYarn.hadoop().files().mkdirs(open);
    OnYarn.hadoop()
        .files()
        .setPermission(open, new org.apache.hadoop.fs.permission.FsPermission((short) 0777));
    Outcome libraries =
        YARN.start(
                stranger,
                OnYarn.wordCountLine(
                    "-t yarn-per-job -D yarn.staging-directory=hdfs:///open"
                        + " -D yarn.provided.lib.dirs=hdfs:///theirs",
                    OnYarn.output()))
            .await();
    assertThat(libraries.code()).isEqualTo(1);
    assertThat(libraries.refusedInOneLine())
        .contains("hdfs:/theirs", "yarn.provided.lib.dirs", "Permission denied: user=stranger");
    assertThat(OnYarn.hadoop().files().listStatus(OnYarn.path("/open/stranger/.millrace")))
        .isEmpty();
    assertThat(OnYarn.hadoop().files().exists(OnYarn.path("/theirs"))).isFalse();
    assertThat(OnYarn.running()).isEmpty();
  }

  @Test
  @Behaviour(
      "D8: TaskManagers on YARN that cannot start are retried up to the failure rate, and the"
          + " client sees their output")
  void failedTaskManagerStartsAreRetriedUpToTheLimit() throws Exception {
    Command run =
        YARN.start(
            Map.of(),
            OnYarn.wordCountLine(
                "-t yarn-per-job -D env.java.opts.taskmanager=-XX:+NoSuchFlag"
                    + " -D resourcemanager.start-worker.retry-interval=100ms"
                    + " -D resourcemanager.start-worker.max-failure-rate=2",
                OnYarn.output()));
    ApplicationId application =
        OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
    String job = OnYarn.jobOf(run.awaitLine(line -> line.contains("has been submitted")));
    assertThat(run.awaitLine(line -> line.contains("Starting pauses")))
        .contains("3 starts failed within a minute")
        .contains("(resourcemanager.start-worker.max-failure-rate)");
    YARN.millrace("cancel -yid " + application + " " + job).succeeded();
    Outcome ended = run.await();
    assertThat(ended.code()).isEqualTo(4);
    assertThat(ended.err())
        .filteredOn(line -> line.contains("exit code 1: Unrecognized VM option 'NoSuchFlag'"))
        .as("said once: %s", ended)
        .hasSize(1);
    assertThat(OnYarn.ended(application).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.KILLED);
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("A8: a client says who has killed its application through YARN")
  void killThroughYarnIsReported() throws Exception {
    Command run = YARN.start(Map.of(), "run -t yarn-per-job " + Shell.example("rate-counter.jar"));
    ApplicationId application =
        OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
    run.awaitLine(line -> line.endsWith(" is RUNNING"));
    OnYarn.hadoop().client().killApplication(application, "Maintenance.");
    Outcome ended = run.await();
    assertThat(String.join(" ", ended.err()))
        .contains("Application " + application + " was killed through YARN")
        .contains("Maintenance.");
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("A3: a job that runs in the process of the command although YARN is there says so")
  void jobWithoutATargetSaysThatItDoesNotRunOnYarn() throws Exception {
    Path input = Files.writeString(own.resolve("input"), "a b");
    Outcome ended =
        YARN.millrace(
                "run -D yarn.application.queue=default "
                    + Shell.example("word-count.jar")
                    + " --input "
                    + input
                    + " --output "
                    + own.resolve("counts"))
            .succeeded();
    assertThat(String.join(" ", ended.err()))
        .contains("there is no session on YARN and no target is given")
        .contains("the job runs in this process");
    assertThat(OnYarn.running()).isEmpty();
  }

  /** Starts the job and waits until it is in the middle, with one TaskManager. */
  private ApplicationId startGatedCount(String options) throws IOException {
    Files.createDirectory(own.resolve("output"));
    Path jar = ProgramJar.of(own, GatedCount.class);
    ApplicationId application =
        OnYarn.applicationOf(
            YARN.millrace(
                    ("run -d -t yarn-per-job -p 2 "
                            + options
                            + " -D yarn.application-attempts=2 -D yarn.heartbeat.interval=500ms"
                            + " -D restart-strategy.type=fixed-delay"
                            + " -D restart-strategy.fixed-delay.delay=100ms "
                            + jar
                            + " "
                            + own.resolve("output"))
                        .replaceAll(" +", " "))
                .succeeded());
    Wait.untilTrue(
        "the job is in its middle", () -> Files.exists(own.resolve("output").resolve("reached")));
    assertThat(OnYarn.pids(application, WORKER)).hasSize(1);
    return application;
  }

  /** Kills the only process of this class and waits for its replacement. */
  private static void kill(ApplicationId application, String mainClass) {
    Set<Long> before = OnYarn.pids(application, mainClass);
    assertThat(before).hasSize(1);
    ProcessHandle.of(before.iterator().next()).orElseThrow().destroyForcibly();
    Wait.untilTrue(
        "another " + mainClass + " is there",
        () -> {
          Set<Long> now = OnYarn.pids(application, mainClass);
          return now.size() == 1 && !now.equals(before);
        });
  }

  /** Lets the job finish. Returns the TaskManagers that ran meanwhile. */
  private Set<Long> countsAreRight(ApplicationId application) throws IOException {
    Path output = own.resolve("output");
    Files.createFile(output.resolve("gate"));
    Set<Long> seen = new TreeSet<>();
    ApplicationReport report =
        Wait.until(
            application + " ends",
            () -> {
              seen.addAll(OnYarn.pids(application, WORKER));
              return Optional.of(OnYarn.report(application)).filter(OnYarn::hasEnded);
            });
    assertThat(report.getFinalApplicationStatus())
        .as(report.getDiagnostics())
        .isEqualTo(FinalApplicationStatus.SUCCEEDED);
    List<String> counts = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output.resolve("counts"))) {
      for (Path part : parts.toList()) {
        counts.addAll(Files.readAllLines(part));
      }
    }
    assertThat(counts).hasSize(1000).allMatch(line -> line.endsWith("\t1000"));
    OnYarn.nothingIsStaged();
    return seen;
  }
}
