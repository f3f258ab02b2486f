package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Idle;
import com.example.TakesMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.AdditionalNodeManager;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs on YARN without a restart strategy say why their TaskManager was lost. */
class YarnLostTaskManagersIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension static final OnYarn YARN = new OnYarn(SHELL);

  @TempDir private Path own;

  @Test
  @Behaviour("D9: the client and YARN's diagnostics show why YARN ended a TaskManager")
  void killedProcess() throws Exception {
    Command run = runIdle("");
    ApplicationId application = running(run);
    for (long pid : OnYarn.pids(application, "TaskManagerProcess")) {
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }
    failsBecause(run, application, "killed by signal 9 (KILL)");
  }

  /**
   * The node has YARN's default limit of virtual memory, 2.1 times the container. A process stays
   * below it and takes more physical memory than its container has, because memory for state is
   * part of the container and not used.
   */
  @ParameterizedTest
  @CsvSource({
    "touch, 1600, [(]-104[)]: 1[.]\\d GB of 1[.]5 GB physical memory used[.] Raise taskmanager",
    "map, 20000, [(]-103[)]: 2\\d[.]\\d GB of 3[.]1 GB virtual memory used[.] Virtual memory is"
  })
  @Behaviour("D9: the client and YARN's diagnostics show why YARN ended a TaskManager")
  void tooMuchMemory(String how, int megabytes, String reason) throws Exception {
    try (AdditionalNodeManager node = OnYarn.hadoop().addStrictNode()) {
      OnYarn.hadoop().label(node.id(), true);
      Command run =
          YARN.start(
              Map.of(),
              "run -t yarn-per-job -p 1 -D yarn.application.node-label="
                  + MiniHadoop.LABEL
                  + " -D yarn.taskmanager.node-label="
                  + MiniHadoop.LABEL
                  + " -D jobmanager.memory.process.size=1g"
                  + " -D taskmanager.memory.process.size=1536m"
                  + " -D taskmanager.memory.managed.size=600m "
                  + ProgramJar.of(own, TakesMemory.class)
                  + " "
                  + how
                  + " "
                  + megabytes
                  + " "
                  + own.resolve("begun"));
      ApplicationId application =
          OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
      String told = failure(run, application);
      assertThat(told).containsPattern(reason).doesNotContain("process-tree");
      assertThat(own.resolve("begun")).as("the process itself is within both limits").exists();
    }
  }

  @Test
  @Behaviour("D9: the reason of a worker on a node whose disks are full names them")
  void fullDisk() throws Exception {
    try (AdditionalNodeManager node = OnYarn.hadoop().addNode()) {
      OnYarn.hadoop().label(node.id(), true);
      Command run = runIdle("-D yarn.taskmanager.node-label=" + MiniHadoop.LABEL + " ");
      ApplicationId application = running(run);
      node.fillDisks();
      assertThat(failure(run, application))
          .contains("its node is unhealthy (-100): ", "local-dirs", "used space above threshold")
          .contains("Free space on the disks of the node");
    }
  }

  @Test
  @Behaviour("D9: the client and YARN's diagnostics show why YARN ended a TaskManager")
  void preEmption() throws Exception {
    // All of the cluster that the JobManager leaves.
    Command run =
        runIdle(
            "-D jobmanager.memory.process.size=768m -D taskmanager.memory.process.size=3g -p 6 -D"
                + " taskmanager.numberOfTaskSlots=2 ");
    ApplicationId application = running(run);
    try (CompetingApplication other = CompetingApplication.of(OnYarn.hadoop(), "small")) {
      other.take(1, MiniHadoop.SMALL_MB);
      // Announced, or, on a busy machine, carried out before.
      assertThat(failure(run, application))
          .containsPattern("It is pre-empted by YARN|YARN has pre-empted its container");
    }
  }

  @Test
  @Behaviour("D9: the client and YARN's diagnostics show why YARN ended a TaskManager")
  void lostNode() throws Exception {
    try (AdditionalNodeManager node = OnYarn.hadoop().addNode()) {
      OnYarn.hadoop().label(node.id(), true);
      Command run = runIdle("-D yarn.taskmanager.node-label=" + MiniHadoop.LABEL + " ");
      ApplicationId application = running(run);
      node.fallSilent();
      failsBecause(run, application, "(-100: its node is lost");
    }
  }

  private Command runIdle(String options) throws IOException {
    return YARN.start(Map.of(), "run -t yarn-per-job " + options + ProgramJar.of(own, Idle.class));
  }

  /** Waits until the job has all its slots, so that its tasks are deployed. */
  private static ApplicationId running(Command run) throws Exception {
    ApplicationId application =
        OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
    run.awaitLine(line -> line.endsWith(" is RUNNING"));
    return application;
  }

  private static void failsBecause(Command run, ApplicationId application, String reason)
      throws Exception {
    assertThat(failure(run, application)).contains(reason);
  }

  /** The text of the failure, which the client and YARN's diagnostics have. */
  private static String failure(Command run, ApplicationId application) throws Exception {
    Outcome ended = run.await();
    assertThat(ended.code()).as("%s", ended).isEqualTo(3);
    ApplicationReport report = OnYarn.ended(application);
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    String reason = report.getDiagnostics().replaceFirst("(?s).* is lost: ", "").strip();
    assertThat(String.join(" ", ended.err())).contains("failed: TaskManager").contains(reason);
    return report.getDiagnostics();
  }
}
