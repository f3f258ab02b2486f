package io.millrace.yarn.master;

import static io.millrace.yarn.master.YarnDriverHarness.LARGE;
import static io.millrace.yarn.master.YarnDriverHarness.SMALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.master.RecordedWorkerEvents.Recorded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On real daemons: containers are processes that write their process id to a file and wait. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class YarnDriverTest {
  @RegisterExtension private final YarnDriverHarness harness = new YarnDriverHarness("default");

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void eachRequestStartsAWorkerThatEndsWhenReleased() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    DriverCapabilities supply = harness.start(driver);
    assertThat(supply.previous()).isEmpty();
    assertThat(supply.startable().orElseThrow().most()).isEqualTo(Integer.MAX_VALUE);
    driver.request(1, WorkerSpec.of(SMALL));
    driver.request(2, WorkerSpec.of(SMALL));
    Recorded first = harness.events().next("started");
    Recorded second = harness.events().next("started");
    assertThat(List.of(first.request(), second.request())).containsExactlyInAnyOrder(1L, 2L);
    ProcessHandle process = harness.process(first.worker());

    driver.release(new WorkerId(first.worker()), new WorkerNotNeeded());
    Recorded ended = harness.events().next("ended");
    assertThat(ended.worker()).isEqualTo(first.worker());
    assertThat(ended.reason()).contains("It is not needed any more.");
    CompetingApplication.await(() -> !process.isAlive());
    CompetingApplication.await(() -> harness.application().containers() == 1);
    YarnDriverHarness.end(driver);
    assertThat(harness.events().remaining()).isEmpty();
  }

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void killedProcessIsReportedWithItsSignal() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    driver.request(7, WorkerSpec.of(SMALL));
    Recorded worker = harness.events().next("started");
    harness.process(worker.worker()).destroyForcibly();
    Recorded ended = harness.events().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("killed by signal 9");
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: a request that is no longer needed is withdrawn from YARN, and an excess container is"
          + " returned")
  void cancelledRequestIsWithdrawnFromYarn() throws Exception {
    YarnDriver driver = harness.driver(LARGE);
    harness.start(driver);
    int room = MiniHadoop.NODES;
    long open = 0;
    for (long request = 1; request <= room + 1; request++) {
      driver.request(request, WorkerSpec.of(LARGE));
      open += request;
    }
    String last = "";
    for (int i = 0; i < room; i++) {
      Recorded started = harness.events().next("started");
      open -= started.request();
      last = started.worker();
    }
    driver.cancel(open);
    driver.release(new WorkerId(last), new WorkerNotNeeded());
    harness.events().next("ended");
    CompetingApplication.await(() -> harness.application().containers() == room - 1);
    YarnDriverHarness.end(driver);
    assertThat(harness.events().remaining()).isEmpty();
  }

  @Test
  @Behaviour(
      "D9: a request that is no longer needed is withdrawn from YARN, and an excess container is"
          + " returned")
  void containerOfACancelledRequestIsReturned() throws Exception {
    // The heartbeat is so slow that YARN allocates the container before the next one.
    YarnDriver driver =
        harness.driver(
            SMALL.with(YarnOptions.REQUEST_HEARTBEAT, "2 s").with(YarnOptions.HEARTBEAT, "2 s"));
    harness.start(driver);
    long request = 0;
    boolean served;
    do {
      driver.request(++request, WorkerSpec.of(SMALL));
      CompetingApplication.await(() -> harness.application().containers() == 1);
      driver.cancel(request);
      CompetingApplication.await(
          () -> harness.application().containers() == 0 || !harness.events().remaining().isEmpty());
      // The first request may go with the heartbeat that follows the registration. The next
      // heartbeat is then sent at once and may bring the container before the cancellation.
      served = !harness.events().remaining().isEmpty();
      if (served) {
        driver.release(
            new WorkerId(harness.events().next("started").worker()), new WorkerNotNeeded());
        harness.events().next("ended");
        CompetingApplication.await(() -> harness.application().containers() == 0);
      }
    } while (served);
    YarnDriverHarness.end(driver);
    assertThat(harness.events().remaining()).isEmpty();
  }

  @Test
  @Behaviour(
      "D9: a worker larger than YARN's largest container is refused with both numbers, and the"
          + " application fails")
  void workerLargerThanTheLargestContainerFailsTheApplication() throws Exception {
    Path staging = Files.createDirectory(harness.directory().resolve("staging"));
    Configuration large = SMALL.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "5g");
    YarnDriver driver = harness.driver(large, staging);
    assertThatThrownBy(() -> harness.start(driver))
        .hasMessageContaining("5120 mb and 2 vcores")
        .hasMessageContaining("4096 mb")
        .hasMessageContaining(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY.key());
    CompetingApplication.await(
        () ->
            harness.application().report().getYarnApplicationState()
                == YarnApplicationState.FINISHED);
    ApplicationReport report = harness.application().report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("5120 mb");
    assertThat(staging).doesNotExist();
  }

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void largerWorkersStartBesideDefaultOnes() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    DriverCapabilities supply = harness.start(driver);
    WorkerSpec larger =
        supply
            .startable()
            .orElseThrow()
            .larger()
            .orElseThrow()
            .forSlot(new ResourceProfile(3, MemorySize.ofMebi(700).bytes(), 0, 0, 0, Map.of()))
            .orElseThrow();
    driver.request(1, larger);
    driver.request(2, WorkerSpec.of(SMALL));
    Recorded one = harness.events().next("started");
    Recorded other = harness.events().next("started");
    assertThat(List.of(one.request(), other.request())).containsExactlyInAnyOrder(1L, 2L);
    String larger1 = one.request() == 1 ? one.worker() : other.worker();
    ContainerSize size = ContainerSize.of(harness.container(larger1).getAllocatedResource());
    assertThat(size.holds(ContainerSize.of(larger, SMALL))).isTrue();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: containers outlive a JobManager that is replaced, and the next attempt recovers them")
  void nextAttemptFindsRunningWorkersAndCanReleaseThem() throws Exception {
    YarnDriver first = harness.driver(SMALL);
    harness.start(first);
    first.request(1, WorkerSpec.of(SMALL));
    Recorded worker = harness.events().next("started");
    ProcessHandle process = harness.process(worker.worker());
    first.stop(new DriverTermination.Suspended()).get(60, TimeUnit.SECONDS);
    assertThat(process.isAlive()).isTrue();

    YarnDriver second = harness.driver(SMALL);
    DriverCapabilities supply = harness.start(second);
    WorkerId id = new WorkerId(worker.worker());
    assertThat(supply.previous()).hasSize(1);
    assertThat(supply.previous().get(0).worker()).isEqualTo(id);
    assertThat(supply.previous().get(0).spec()).contains(WorkerSpec.of(SMALL));
    second.release(id, new WorkerNotNeeded());
    assertThat(harness.events().next("ended").worker()).isEqualTo(id.value());
    CompetingApplication.await(() -> !process.isAlive());
    YarnDriverHarness.end(second);
  }

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void workerOnALostNodeIsReported() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Recorded worker = harness.events().next("started");
    harness.process(worker.worker());
    harness.hadoop().lose(harness.node(worker.worker()));
    Recorded ended = harness.events().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("-100");
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void pendingContainersAreReportedWithTheStatusOfTheQueue() throws Exception {
    YarnDriver driver = harness.driver(LARGE);
    harness.start(driver);
    int room = MiniHadoop.NODES;
    for (int i = 1; i <= room + 1; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    for (int i = 1; i <= room; i++) {
      harness.events().next("started");
    }
    String reason = harness.events().next("waits").reason();
    assertThat(reason)
        .contains("1 container of 4096 mb and 2 vcores")
        .containsPattern("YARN's answer since \\d\\d:\\d\\d:\\d\\d UTC: ")
        .contains("queue 'root.default' has " + room * 4096 + " mb", "100 %")
        .contains("its applications wait for 1 container in all")
        .contains("this application has " + room + " containers")
        .contains("of " + room + " nodes the one with most memory free has 0 mb")
        .contains("the largest container that can be asked for: 4096 mb and 8 vcores");
    driver.cancel(room + 1);
    assertThat(harness.events().next("waits").reason()).isEmpty();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "B3: YARN gets the outcome and its cause on deregistration; containers and staged files are"
          + " removed")
  void applicationEndsWithItsOutcome() throws Exception {
    Path staging = Files.createDirectory(harness.directory().resolve("staging"));
    Files.writeString(staging.resolve("file"), "x");
    YarnDriver driver =
        harness.driver(SMALL.with(HistoryOptions.WEB_ADDRESS, "history.example.com"), staging);
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    ProcessHandle process = harness.process(harness.events().next("started").worker());
    assertThat(harness.application().report().getOriginalTrackingUrl())
        .contains("http://localhost:8");
    driver.progress(0.75);
    CompetingApplication.await(() -> harness.application().report().getProgress() == 0.75f);
    driver
        .stop(new DriverTermination.Over(ApplicationStatus.CANCELED, "It was cancelled."))
        .get(60, TimeUnit.SECONDS);
    CompetingApplication.await(
        () ->
            harness.application().report().getYarnApplicationState()
                == YarnApplicationState.FINISHED);
    ApplicationReport report = harness.application().report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.KILLED);
    assertThat(report.getDiagnostics()).contains("It was cancelled.");
    assertThat(report.getOriginalTrackingUrl()).isEqualTo("http://history.example.com:8082");
    assertThat(staging).doesNotExist();
    CompetingApplication.await(() -> !process.isAlive());
  }
}
