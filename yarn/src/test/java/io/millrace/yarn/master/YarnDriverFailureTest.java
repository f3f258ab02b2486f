package io.millrace.yarn.master;

import static io.millrace.yarn.master.YarnDriverHarness.LARGE;
import static io.millrace.yarn.master.YarnDriverHarness.SMALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.StagedFile;
import io.millrace.yarn.master.RecordedWorkerEvents.Told;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A driver whose YARN is restarted, takes containers away or cannot start them. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class YarnDriverFailureTest {
  @RegisterExtension private final YarnDriverHarness rig = new YarnDriverHarness("default");

  @Test
  @Behaviour(
      "D9: a restart of YARN's ResourceManager loses no worker and no request, and leaves no"
          + " excess container")
  void restartOfTheResourceManagerLosesNoWorkerAndNoRequest() throws Exception {
    YarnDriver driver = rig.driver(LARGE);
    rig.start(driver);
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
      Told started = rig.news().next("started");
      open.remove(started.request());
      workers.add(started.worker());
      processes.add(rig.process(started.worker()));
    }

    rig.hadoop().restartResourceManager();
    driver.cancel(open.get(1));
    CompetingApplication.await(() -> rig.application().containers() == room);
    assertThat(processes).allMatch(ProcessHandle::isAlive);

    // The request of before is served, the one that was taken back is not.
    driver.release(new WorkerId(workers.get(0)), new WorkerNotNeeded());
    // YARN gives away the room at once, and tells of the end when the node has.
    List<Told> told = rig.news().next(List.of("ended", "started"));
    assertThat(told.get(0).worker()).isEqualTo(workers.get(0));
    Told late = told.get(1);
    assertThat(late.request()).isEqualTo(open.get(0));
    rig.process(late.worker());
    driver.release(new WorkerId(workers.get(1)), new WorkerNotNeeded());
    assertThat(rig.news().next("ended").worker()).isEqualTo(workers.get(1));
    CompetingApplication.await(() -> rig.application().containers() == room - 1);
    driver.request(room + 3, WorkerSpec.of(LARGE));
    assertThat(rig.news().next("started").request()).isEqualTo(room + 3);
    CompetingApplication.await(() -> rig.application().containers() == room);
    assertThat(rig.news().left()).isEmpty();
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void tellsThatYarnHasPreEmptedAContainer() throws Exception {
    YarnDriver driver = rig.driver(LARGE);
    rig.start(driver);
    for (int i = 1; i <= MiniHadoop.NODES; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    for (int i = 1; i <= MiniHadoop.NODES; i++) {
      rig.process(rig.news().next("started").worker());
    }
    try (CompetingApplication other = CompetingApplication.of(rig.hadoop(), "small")) {
      // What is that queue's own, and was lent.
      other.take(1, MiniHadoop.SMALL_MB);
      assertThat(rig.news().next("ended").reason()).contains("pre-empted", "(-102)");
    }
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void tellsWhyAContainerCouldNotBeStarted() throws Exception {
    URI missing = rig.hadoop().files().getUri().resolve("/missing/file");
    YarnDriver driver =
        rig.driver(
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
    rig.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Told worker = rig.news().next("started");
    Told ended = rig.news().next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason())
        .contains("its container never ran", "File does not exist: " + missing);
    CompetingApplication.await(() -> rig.application().containers() == 0);
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: pre-emption, a failed container launch and an early process exit are reported with"
          + " their cause")
  void tellsAtOnceWhatAProcessSaidThatCouldNotStart() throws Exception {
    YarnDriver driver =
        rig.driver(
            SMALL.with(YarnOptions.HEARTBEAT, "5 min"),
            (worker, spec, host) ->
                new ContainerLaunch(
                    List.of(),
                    Map.of(),
                    List.of("echo", "no such flag", ">&2", "&&", "exit", "7")));
    rig.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    rig.news().next("started");
    assertThat(rig.news().next("ended").reason()).contains("exit code 7", "no such flag");
    YarnDriverHarness.end(driver);
  }
}
