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
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.master.RecordedWorkerEvents.Told;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On real daemons: containers are processes that write down who they are and wait. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class YarnDriverTest {
  @RegisterExtension private final YarnDriverHarness rig = new YarnDriverHarness("default");

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void startsAWorkerForEachRequestAndEndsItWhenReleased() throws Exception {
    YarnDriver driver = rig.driver(SMALL);
    DriverCapabilities supply = rig.start(driver);
    assertThat(supply.previous()).isEmpty();
    assertThat(supply.startable().orElseThrow().most()).isEqualTo(Integer.MAX_VALUE);
    driver.request(1, WorkerSpec.of(SMALL));
    driver.request(2, WorkerSpec.of(SMALL));
    Told first = rig.news().next("started");
    Told second = rig.news().next("started");
    assertThat(List.of(first.request(), second.request())).containsExactlyInAnyOrder(1L, 2L);
    ProcessHandle process = rig.process(first.worker());

    driver.release(new WorkerId(first.worker()), new WorkerNotNeeded());
    Told ended = rig.news().next("ended");
    assertThat(ended.worker()).isEqualTo(first.worker());
    assertThat(ended.reason()).contains("It is not needed any more.");
    CompetingApplication.await(() -> !process.isAlive());
    CompetingApplication.await(() -> rig.application().containers() == 1);
    YarnDriverHarness.end(driver);
    assertThat(rig.news().left()).isEmpty();
  }

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void tellsOfAProcessThatWasKilled() throws Exception {
    YarnDriver driver = rig.driver(SMALL);
    rig.start(driver);
    driver.request(7, WorkerSpec.of(SMALL));
    Told worker = rig.news().next("started");
    rig.process(worker.worker()).destroyForcibly();
    Told ended = rig.news().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("killed by signal 9");
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: a request that is no longer needed is withdrawn from YARN, and an excess container is"
          + " returned")
  void takesBackWhatIsNoLongerWanted() throws Exception {
    YarnDriver driver = rig.driver(LARGE);
    rig.start(driver);
    int room = MiniHadoop.NODES;
    long open = 0;
    for (long request = 1; request <= room + 1; request++) {
      driver.request(request, WorkerSpec.of(LARGE));
      open += request;
    }
    String last = "";
    for (int i = 0; i < room; i++) {
      Told started = rig.news().next("started");
      open -= started.request();
      last = started.worker();
    }
    driver.cancel(open);
    driver.release(new WorkerId(last), new WorkerNotNeeded());
    rig.news().next("ended");
    CompetingApplication.await(() -> rig.application().containers() == room - 1);
    YarnDriverHarness.end(driver);
    assertThat(rig.news().left()).isEmpty();
  }

  @Test
  @Behaviour(
      "D9: a request that is no longer needed is withdrawn from YARN, and an excess container is"
          + " returned")
  void returnsAContainerThatNobodyWantsAnyMore() throws Exception {
    // Slow enough that YARN has the container ready before the driver asks again.
    YarnDriver driver =
        rig.driver(
            SMALL.with(YarnOptions.REQUEST_HEARTBEAT, "2 s").with(YarnOptions.HEARTBEAT, "2 s"));
    rig.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    CompetingApplication.await(() -> rig.application().containers() == 1);
    driver.cancel(1);
    CompetingApplication.await(() -> rig.application().containers() == 0);
    YarnDriverHarness.end(driver);
    assertThat(rig.news().left()).isEmpty();
  }

  @Test
  @Behaviour(
      "D9: a worker larger than YARN's largest container is refused with both numbers, and the"
          + " application fails")
  void refusesAWorkerThatIsLargerThanTheLargestContainer() throws Exception {
    Path staging = Files.createDirectory(rig.directory().resolve("staging"));
    Configuration large = SMALL.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "5g");
    YarnDriver driver = rig.driver(large, staging);
    assertThatThrownBy(() -> rig.start(driver))
        .hasMessageContaining("5120 mb and 2 vcores")
        .hasMessageContaining("4096 mb")
        .hasMessageContaining(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY.key());
    CompetingApplication.await(
        () ->
            rig.application().report().getYarnApplicationState() == YarnApplicationState.FINISHED);
    ApplicationReport report = rig.application().report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("5120 mb");
    assertThat(staging).doesNotExist();
  }

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void startsLargerWorkersBesideTheUsualOnes() throws Exception {
    YarnDriver driver = rig.driver(SMALL);
    DriverCapabilities supply = rig.start(driver);
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
    Told one = rig.news().next("started");
    Told other = rig.news().next("started");
    assertThat(List.of(one.request(), other.request())).containsExactlyInAnyOrder(1L, 2L);
    String larger1 = one.request() == 1 ? one.worker() : other.worker();
    ContainerSize size = ContainerSize.of(rig.container(larger1).getAllocatedResource());
    assertThat(size.holds(ContainerSize.of(larger, SMALL))).isTrue();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: containers outlive a JobManager that is replaced, and the next attempt recovers them")
  void findsTheWorkersOfBeforeAndEndsThem() throws Exception {
    YarnDriver first = rig.driver(SMALL);
    rig.start(first);
    first.request(1, WorkerSpec.of(SMALL));
    Told worker = rig.news().next("started");
    ProcessHandle process = rig.process(worker.worker());
    first.stop(new DriverTermination.Suspended()).get(60, TimeUnit.SECONDS);
    assertThat(process.isAlive()).isTrue();

    YarnDriver second = rig.driver(SMALL);
    DriverCapabilities supply = rig.start(second);
    WorkerId id = new WorkerId(worker.worker());
    assertThat(supply.previous()).hasSize(1);
    assertThat(supply.previous().get(0).worker()).isEqualTo(id);
    assertThat(supply.previous().get(0).spec()).contains(WorkerSpec.of(SMALL));
    second.release(id, new WorkerNotNeeded());
    assertThat(rig.news().next("ended").worker()).isEqualTo(id.value());
    CompetingApplication.await(() -> !process.isAlive());
    YarnDriverHarness.end(second);
  }

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void tellsOfANodeThatIsGone() throws Exception {
    YarnDriver driver = rig.driver(SMALL);
    rig.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Told worker = rig.news().next("started");
    rig.process(worker.worker());
    rig.hadoop().lose(rig.node(worker.worker()));
    Told ended = rig.news().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("-100");
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void saysWhyContainersDoNotCome() throws Exception {
    YarnDriver driver = rig.driver(LARGE);
    rig.start(driver);
    int room = MiniHadoop.NODES;
    for (int i = 1; i <= room + 1; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    for (int i = 1; i <= room; i++) {
      rig.news().next("started");
    }
    String reason = rig.news().next("waits").reason();
    assertThat(reason)
        .contains("1 container of 4096 mb and 2 vcores")
        .containsPattern("YARN's answer since \\d\\d:\\d\\d:\\d\\d UTC: ")
        .contains("queue 'root.default' has " + room * 4096 + " mb", "100 %")
        .contains("its applications wait for 1 container in all")
        .contains("this application has " + room + " containers")
        .contains("of " + room + " nodes the one with most memory free has 0 mb")
        .contains("the largest container that can be asked for: 4096 mb and 8 vcores");
    driver.cancel(room + 1);
    assertThat(rig.news().next("waits").reason()).isEmpty();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "B3: YARN gets the outcome and its cause on deregistration; containers and staged files are"
          + " removed")
  void endsTheApplicationWithItsOutcome() throws Exception {
    Path staging = Files.createDirectory(rig.directory().resolve("staging"));
    Files.writeString(staging.resolve("file"), "x");
    YarnDriver driver = rig.driver(SMALL, staging);
    rig.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    ProcessHandle process = rig.process(rig.news().next("started").worker());
    assertThat(rig.application().report().getOriginalTrackingUrl()).contains("http://localhost:8");
    driver
        .stop(new DriverTermination.Over(ApplicationStatus.CANCELED, "Somebody has cancelled it."))
        .get(60, TimeUnit.SECONDS);
    CompetingApplication.await(
        () ->
            rig.application().report().getYarnApplicationState() == YarnApplicationState.FINISHED);
    ApplicationReport report = rig.application().report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.KILLED);
    assertThat(report.getDiagnostics()).contains("Somebody has cancelled it.");
    assertThat(staging).doesNotExist();
    CompetingApplication.await(() -> !process.isAlive());
  }
}
