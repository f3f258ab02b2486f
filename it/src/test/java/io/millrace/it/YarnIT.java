package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testing.ReservedPorts;
import io.millrace.yarn.MiniHadoop;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on YARN and HDFS with real containers. */
class YarnIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension static final OnYarn YARN = new OnYarn(SHELL);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-t yarn-per-job -D yarn.provided.lib.dirs=",
        "-t yarn-application",
        "-t yarn-per-job -D high-availability.type=file",
        "-m yarn-cluster -ys 2 -ytm 1024"
      })
  @Behaviour("A7: the same program runs on the targets local, remote and YARN")
  void wordCountRuns(String target) throws Exception {
    String output = OnYarn.output();
    Outcome ran = YARN.wordCount(target, output).succeeded();
    assertThat(OnYarn.counts(output))
        .containsExactly("mill\t1000", "stone\t1000", "the\t2001", "weir\t1");
    ApplicationReport report = OnYarn.ended(OnYarn.applicationOf(ran));
    assertThat(report.getYarnApplicationState()).isEqualTo(YarnApplicationState.FINISHED);
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.SUCCEEDED);
    OnYarn.nothingIsStaged();
    Wait.untilTrue(
        "no process of the application is left",
        () -> OnYarn.containers(report.getApplicationId().toString()).isEmpty());
  }

  /** The command does not know the resource: its configuration does not declare it. */
  @Test
  @Behaviour(
      "D9: containers have the external resources of their workers; a larger demand is refused"
          + " with both numbers")
  void taskManagersHaveTheExternalResourcesThatYarnHas() throws Exception {
    String widgets =
        "-t yarn-per-job -D external-resources=widget -D external-resource.widget.yarn.config-key="
            + MiniHadoop.WIDGET
            + " -D external-resource.widget.amount=";
    assertThat(YARN.wordCount(widgets + 9, OnYarn.output()).refusedInOneLine())
        .contains("9 " + MiniHadoop.WIDGET, "has 2.", "external-resource.widget.amount");
    Outcome ran = YARN.wordCount(widgets + 2, OnYarn.output()).succeeded();
    assertThat(
            OnYarn.ended(OnYarn.applicationOf(ran))
                .getApplicationResourceUsageReport()
                .getResourceSecondsMap())
        .hasEntrySatisfying(
            MiniHadoop.WIDGET, seconds -> assertThat(seconds).isGreaterThanOrEqualTo(2));
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionRunsJobAfterJob() throws Exception {
    ApplicationId session =
        OnYarn.applicationOf(YARN.millrace("session start -t yarn-session -d").succeeded());
    for (String target : List.of("-t yarn-session", "-yid " + session)) {
      String output = OnYarn.output();
      YARN.wordCount(target, output).succeeded();
      assertThat(OnYarn.counts(output)).contains("the\t2001").hasSize(4);
    }
    // The first of these commands recorded the classes it loads, and a later one wrote the CDS
    // archive.
    assertThat(Shell.distribution().resolve("yarn.jsa")).isNotEmptyFile();
    // Through the web proxy all users of YARN may read, and cannot do more.
    String page = OnYarn.hadoop().configuration().get("yarn.resourcemanager.webapp.address");
    Rest proxy = new Rest(page + "/proxy/" + session);
    assertThat(proxy.get("/overview").path("jobs-finished").asInt()).isEqualTo(2);
    assertThat(YARN.millrace("session list").succeeded().out().toString())
        .contains(session.toString());
    YARN.millrace("session stop " + session).succeeded();
    assertThat(OnYarn.ended(session).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.SUCCEEDED);
    OnYarn.nothingIsStaged();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn-per-job", "yarn-application"})
  void failureIsReportedWithItsCause(String target) throws Exception {
    Outcome failed =
        YARN.millrace(
            "run -t "
                + target
                + " "
                + Shell.example("word-count.jar")
                + " --input hdfs:///missing");
    assertThat(failed.code()).as("%s", failed).isEqualTo(3);
    assertThat(String.join("\n", failed.err())).contains("/missing' does not exist");
    ApplicationReport report = OnYarn.ended(OnYarn.applicationOf(failed));
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("/missing' does not exist");
    OnYarn.nothingIsStaged();
  }

  @Test
  void cancelledJobEndsItsCluster() throws Exception {
    Outcome submitted =
        YARN.millrace("run -d -t yarn-per-job " + Shell.example("rate-counter.jar")).succeeded();
    ApplicationId application = OnYarn.applicationOf(submitted);
    String job = OnYarn.jobOf(submitted.toString());
    YARN.millrace("cancel -yid " + application + " " + job).succeeded();
    assertThat(OnYarn.ended(application).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.KILLED);
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("B2: ports come from the ranges that a user sets, also on YARN")
  void portsComeFromTheRangesOfTheUser() throws Exception {
    List<Integer> free = new ArrayList<>();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
      for (int i = 0; i < 4; i++) {
        free.add(ReservedPorts.next());
      }
      int busy = taken.getLocalPort();
      Outcome submitted =
          YARN.millrace(
                  "run -d -t yarn-per-job -p 1 -D rest.port="
                      + (busy + "," + free.get(0))
                      + " -D jobmanager.rpc.port="
                      + (busy + "," + free.get(1))
                      + " -D taskmanager.rpc.port="
                      + (busy + "," + free.get(2))
                      + " -D taskmanager.data.port="
                      + (busy + "," + free.get(3))
                      + " "
                      + Shell.example("rate-counter.jar"))
              .succeeded();
      ApplicationReport report = OnYarn.report(OnYarn.applicationOf(submitted));
      assertThat(report.getRpcPort()).isEqualTo(free.get(1));
      assertThat(URI.create(report.getOriginalTrackingUrl()).getPort()).isEqualTo(free.get(0));
      String page = OnYarn.hadoop().configuration().get("yarn.resourcemanager.webapp.address");
      Rest proxy = new Rest(page + "/proxy/" + report.getApplicationId());
      Wait.untilTrue(
          "a TaskManager is registered",
          () -> proxy.get("/taskmanagers").path("taskmanagers").size() == 1);
      JsonNode worker = proxy.get("/taskmanagers").path("taskmanagers").path(0);
      assertThat(worker.path("dataPort").asInt()).isEqualTo(free.get(3));
      assertThat(worker.path("path").asText()).contains(":" + free.get(2));
      // The range of another application is exhausted.
      Outcome failed = YARN.wordCount("-t yarn-per-job -D rest.bind-port=" + busy, OnYarn.output());
      assertThat(failed.code()).isNotZero();
      assertThat(failed.toString()).contains(":" + busy + " (rest.bind-port)");
    }
  }

  @Test
  void invalidRequestsAreRejectedBeforeTheUpload() throws Exception {
    assertThat(
            YARN.wordCount("-t yarn-per-job -D yarn.application.queue=nowhere", OnYarn.output())
                .refusedInOneLine())
        .contains("nowhere", "default");
    assertThat(
            YARN.wordCount(
                    "-t yarn-per-job -D taskmanager.memory.process.size=99g", OnYarn.output())
                .refusedInOneLine())
        .contains("taskmanager.memory.process.size", String.valueOf(MiniHadoop.MAXIMUM_MB));
    OnYarn.nothingIsStaged();
  }
}
