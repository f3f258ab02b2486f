package io.millrace.yarn.master;

import static io.millrace.yarn.master.YarnDriverHarness.LARGE;
import static io.millrace.yarn.master.YarnDriverHarness.SMALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.StagedFile;
import io.millrace.yarn.master.RecordedWorkerEvents.Recorded;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A driver whose YARN is restarted, pre-empts containers or cannot start them. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class YarnDriverFailureTest {
  @RegisterExtension private final YarnDriverHarness harness = new YarnDriverHarness("default");

  @Test
  @Behaviour(
      "D9: a restart of YARN's ResourceManager loses no worker and no request, and leaves no"
          + " excess container")
  void restartOfTheResourceManagerLosesNoWorkerAndNoRequest() throws Exception {
    YarnDriver driver = harness.driver(LARGE);
    harness.start(driver);
    int room = MiniHadoop.NODES;
    for (int i = 1; i <= room + 2; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    List<Long> open = new ArrayList<>();
    for (long i = 1; i <= room + 2; i++) {
      open.add(i);
    }
    List<String> workers = new ArrayList<>();
    List<ProcessHandle> processes = new ArrayList<>();
    for (int i = 1; i <= room; i++) {
      Recorded started = harness.events().next("started");
      open.remove(started.request());
      workers.add(started.worker());
      processes.add(harness.process(started.worker()));
    }

    harness.hadoop().restartResourceManager();
    driver.cancel(open.get(1));
    CompetingApplication.await(() -> harness.application().containers() == room);
    assertThat(processes).allMatch(ProcessHandle::isAlive);

    // The pending request is served, the cancelled one is not.
    driver.release(new WorkerId(workers.get(0)), new WorkerNotNeeded());
    // YARN allocates the resources at once, and reports the end after the node has.
    List<Recorded> told = harness.events().next(List.of("ended", "started"));
    assertThat(told.get(0).worker()).isEqualTo(workers.get(0));
    Recorded late = told.get(1);
    assertThat(late.request()).isEqualTo(open.get(0));
    harness.process(late.worker());
    driver.release(new WorkerId(workers.get(1)), new WorkerNotNeeded());
    assertThat(harness.events().next("ended").worker()).isEqualTo(workers.get(1));
    CompetingApplication.await(() -> harness.application().containers() == room - 1);
    driver.request(room + 3, WorkerSpec.of(LARGE));
    assertThat(harness.events().next("started").request()).isEqualTo(room + 3);
    CompetingApplication.await(() -> harness.application().containers() == room);
    assertThat(harness.events().remaining()).isEmpty();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void preEmptedContainerIsReported() throws Exception {
    YarnDriver driver = harness.driver(LARGE);
    harness.start(driver);
    for (int i = 1; i <= MiniHadoop.NODES; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    for (int i = 1; i <= MiniHadoop.NODES; i++) {
      harness.process(harness.events().next("started").worker());
    }
    try (CompetingApplication other = CompetingApplication.of(harness.hadoop(), "small")) {
      // The guaranteed capacity of that queue.
      other.take(1, MiniHadoop.SMALL_MB);
      List<Recorded> events = harness.events().next(List.of("draining", "ended"));
      assertThat(events.get(0).reason()).contains("It is pre-empted by YARN");
      assertThat(events.get(1).reason()).contains("pre-empted", "(-102)");
      assertThat(events.get(1).worker()).isEqualTo(events.get(0).worker());
    }
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void containerThatCannotStartIsReportedWithItsCause() throws Exception {
    URI missing = harness.hadoop().files().getUri().resolve("/missing/file");
    YarnDriver driver =
        harness.driver(
            SMALL,
            (worker, spec, host) ->
                new ContainerLaunch(
                    List.of(
                        new StagedFile(
                            "file",
                            missing,
                            1,
                            1,
                            LocalResourceType.FILE,
                            LocalResourceVisibility.APPLICATION,
                            true)),
                    Map.of(),
                    List.of("sleep", "300")));
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Recorded worker = harness.events().next("started");
    Recorded ended = harness.events().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason())
        .contains("its container never ran", "File does not exist: " + missing);
    CompetingApplication.await(() -> harness.application().containers() == 0);
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void earlyExitIsReportedAtOnceWithTheOutputOfTheProcess() throws Exception {
    YarnDriver driver =
        harness.driver(
            SMALL.with(YarnOptions.HEARTBEAT, "5 min"),
            (worker, spec, host) ->
                new ContainerLaunch(
                    List.of(),
                    Map.of(),
                    List.of("echo", "no such flag", ">&2", "&&", "exit", "7")));
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    harness.events().next("started");
    assertThat(harness.events().next("ended").reason()).contains("exit code 7", "no such flag");
    YarnDriverHarness.end(driver);
  }

  private static final Reason BROKEN = new ConnectionLost("Network closed for unknown reason");

  /** The connection of a killed process breaks before YARN knows its exit status. */
  @Test
  @Behaviour(
      "D9: YARN's exit status is the reason of a lost worker, also if the connection broke before")
  void killedProcessIsTheReasonAlsoAfterItsConnectionBroke() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    String worker = harness.events().next("started").worker();
    harness.process(worker).destroyForcibly();
    driver.release(new WorkerId(worker), BROKEN);
    assertThat(harness.events().next("ended").reason()).contains("killed by signal 9 (KILL)");
    CompetingApplication.await(() -> harness.application().containers() == 0);
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour("D5: a worker that runs on without a connection is stopped after a bounded wait")
  void processWithoutAConnectionIsStopped() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    String worker = harness.events().next("started").worker();
    ProcessHandle process = harness.process(worker);
    driver.release(new WorkerId(worker), BROKEN);
    assertThat(harness.events().next("ended").reason())
        .contains("It was released", "Network closed for unknown reason");
    CompetingApplication.await(() -> !process.isAlive());
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour("D11: the reason of a pending worker names an outage of YARN's ResourceManager")
  void outageOfTheResourceManagerIsReported() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    harness.hadoop().stopResourceManager();
    try {
      driver.request(1, WorkerSpec.of(SMALL));
      String reason = "";
      while (!reason.contains("1 container cannot be requested until it answers again")) {
        reason = harness.events().next("waits").reason();
      }
      assertThat(reason).startsWith("YARN's ResourceManager has not answered for");
    } finally {
      harness.hadoop().restartResourceManager();
    }
    harness.process(harness.events().next("started").worker());
    YarnDriverHarness.end(driver);
  }
}
