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

  @ParameterizedTest
  @CsvSource({
    "touch, 2000, more memory than its container has (-104)",
    "map, 20000, more virtual memory than its container may (-103)"
  })
  @Behaviour("D9: the client and YARN's diagnostics show why YARN ended a TaskManager")
  void tooMuchMemory(String how, int megabytes, String reason) throws Exception {
    try (AdditionalNodeManager node = OnYarn.hadoop().addStrictNode()) {
      OnYarn.hadoop().label(node.id(), true);
      Command run =
          YARN.start(
              Map.of(),
              "run -t yarn-per-job -p 1 -D yarn.taskmanager.node-label="
                  + MiniHadoop.LABEL
                  + " "
                  + ProgramJar.of(own, TakesMemory.class)
                  + " "
                  + how
                  + " "
                  + megabytes
                  + " "
                  + own.resolve("begun"));
      ApplicationId application =
          OnYarn.applicationIn(run.awaitLine(line -> line.contains("Submitted application")));
      failsBecause(run, application, reason);
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
      failsBecause(run, application, "It is pre-empted by YARN");
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
    Outcome ended = run.await();
    assertThat(ended.code()).as("%s", ended).isEqualTo(3);
    assertThat(String.join(" ", ended.err())).contains("failed: TaskManager").contains(reason);
    ApplicationReport report = OnYarn.ended(application);
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains(reason);
  }
}
