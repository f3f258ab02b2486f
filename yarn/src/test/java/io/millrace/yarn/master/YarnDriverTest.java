package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.Ending;
import io.millrace.control.driver.Supply;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemorySize;
import io.millrace.core.config.Options;
import io.millrace.core.config.YarnOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ApplicationStatus;
import io.millrace.yarn.launch.Launch;
import io.millrace.yarn.launch.ShellText;
import io.millrace.yarn.master.News.Told;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** On real daemons: containers are processes that write down who they are and wait. */
@ExtendWith(MiniYarn.Extension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class YarnDriverTest {
  private static final Configuration SMALL =
      Configuration.EMPTY
          .with(Options.TASK_MANAGER_PROCESS_MEMORY, "1000m")
          .with(Options.SLOTS, 2)
          .with(YarnOptions.REQUEST_HEARTBEAT, "100 ms");

  @TempDir private Path directory;
  private final News news = new News();
  private final MiniYarn yarn;
  private MiniYarn.Application application;

  YarnDriverTest(MiniYarn yarn) {
    this.yarn = yarn;
  }

  @BeforeEach
  void submit() throws Exception {
    application = yarn.application();
  }

  @AfterEach
  void kill() throws Exception {
    application.kill();
    await(() -> application.report().getYarnApplicationState() != YarnApplicationState.RUNNING);
  }

  @Test
  void startsAWorkerForEachRequestAndEndsItWhenReleased() throws Exception {
    YarnDriver driver = driver(SMALL);
    Supply supply = started(driver);
    assertThat(supply.previous()).isEmpty();
    assertThat(supply.startable().orElseThrow().most()).isEqualTo(Integer.MAX_VALUE);
    driver.request(1, WorkerSpec.of(SMALL));
    driver.request(2, WorkerSpec.of(SMALL));
    Told first = news.next("started");
    Told second = news.next("started");
    assertThat(List.of(first.request(), second.request())).containsExactlyInAnyOrder(1L, 2L);
    ProcessHandle process = process(first.worker());

    driver.release(new WorkerId(first.worker()), "It is idle.");
    Told ended = news.next("ended");
    assertThat(ended.worker()).isEqualTo(first.worker());
    assertThat(ended.reason()).contains("It is idle.");
    await(() -> !process.isAlive());
    await(() -> application.containers() == 1);
    end(driver);
    assertThat(news.left()).isEmpty();
  }

  @Test
  void tellsOfAProcessThatWasKilled() throws Exception {
    YarnDriver driver = driver(SMALL.with(YarnOptions.HEARTBEAT, "200 ms"));
    started(driver);
    driver.request(7, WorkerSpec.of(SMALL));
    Told worker = news.next("started");
    process(worker.worker()).destroyForcibly();
    Told ended = news.next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("killed by signal 9");
    end(driver);
  }

  @Test
  void takesBackWhatIsNoLongerWanted() throws Exception {
    Configuration large = SMALL.with(Options.TASK_MANAGER_PROCESS_MEMORY, "4096m");
    YarnDriver driver = driver(large);
    started(driver);
    int room = yarn.client().getYarnClusterMetrics().getNumNodeManagers();
    long open = 0;
    for (long request = 1; request <= room + 1; request++) {
      driver.request(request, WorkerSpec.of(large));
      open += request;
    }
    String last = "";
    for (int i = 0; i < room; i++) {
      Told started = news.next("started");
      open -= started.request();
      last = started.worker();
    }
    driver.cancel(open);
    driver.release(new WorkerId(last), "There is to be room.");
    news.next("ended");
    await(() -> application.containers() == room - 1);
    end(driver);
    assertThat(news.left()).isEmpty();
  }

  @Test
  void returnsAContainerThatNobodyWantsAnyMore() throws Exception {
    // Slow enough that YARN has the container ready before the driver asks again.
    YarnDriver driver = driver(SMALL.with(YarnOptions.REQUEST_HEARTBEAT, "2 s"));
    started(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    await(() -> application.containers() == 1);
    driver.cancel(1);
    await(() -> application.containers() == 0);
    end(driver);
    assertThat(news.left()).isEmpty();
  }

  @Test
  void refusesAWorkerThatIsLargerThanTheLargestContainer() throws Exception {
    Path staging = Files.createDirectory(directory.resolve("staging"));
    Configuration large = SMALL.with(Options.TASK_MANAGER_PROCESS_MEMORY, "5g");
    YarnDriver driver =
        new YarnDriver(application.yarn(staging), settings(large), this::writesItsNumber);
    assertThatThrownBy(() -> started(driver))
        .hasMessageContaining("5120 mb and 2 vcores")
        .hasMessageContaining("4096 mb")
        .hasMessageContaining(Options.TASK_MANAGER_PROCESS_MEMORY.key());
    await(() -> application.report().getYarnApplicationState() == YarnApplicationState.FINISHED);
    ApplicationReport report = application.report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("5120 mb");
    assertThat(staging).doesNotExist();
  }

  @Test
  void startsLargerWorkersBesideTheUsualOnes() throws Exception {
    YarnDriver driver = driver(SMALL);
    Supply supply = started(driver);
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
    Told one = news.next("started");
    Told other = news.next("started");
    assertThat(List.of(one.request(), other.request())).containsExactlyInAnyOrder(1L, 2L);
    String larger1 = one.request() == 1 ? one.worker() : other.worker();
    ContainerSize size =
        ContainerSize.of(
            yarn.client()
                .getContainerReport(ContainerId.fromString(larger1))
                .getAllocatedResource());
    assertThat(size.holds(ContainerSize.of(larger, SMALL))).isTrue();
    end(driver);
  }

  @Test
  void findsTheWorkersOfBeforeAndEndsThem() throws Exception {
    YarnDriver first = driver(SMALL);
    started(first);
    first.request(1, WorkerSpec.of(SMALL));
    Told worker = news.next("started");
    ProcessHandle process = process(worker.worker());
    first.stop(new Ending.Suspended()).get(10, TimeUnit.SECONDS);
    assertThat(process.isAlive()).isTrue();

    YarnDriver second = driver(SMALL);
    Supply supply = started(second);
    WorkerId id = new WorkerId(worker.worker());
    assertThat(supply.previous()).hasSize(1);
    assertThat(supply.previous().get(0).worker()).isEqualTo(id);
    assertThat(supply.previous().get(0).spec()).contains(WorkerSpec.of(SMALL));
    second.release(id, "Nobody uses it.");
    assertThat(news.next("ended").worker()).isEqualTo(id.value());
    await(() -> !process.isAlive());
    end(second);
  }

  @Test
  void tellsOfANodeThatIsGone() throws Exception {
    YarnDriver driver = driver(SMALL.with(YarnOptions.HEARTBEAT, "200 ms"));
    started(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Told worker = news.next("started");
    process(worker.worker());
    int port =
        yarn.client()
            .getContainerReport(ContainerId.fromString(worker.worker()))
            .getAssignedNode()
            .getPort();
    yarn.node(port).stop();
    Told ended = news.next("ended");
    assertThat(ended.worker()).isEqualTo(worker.worker());
    assertThat(ended.reason()).contains("-100");
    end(driver);
  }

  @Test
  void saysWhyContainersDoNotCome() throws Exception {
    Configuration large = SMALL.with(Options.TASK_MANAGER_PROCESS_MEMORY, "4096m");
    YarnDriver driver = driver(large);
    started(driver);
    int room = yarn.client().getYarnClusterMetrics().getNumNodeManagers();
    for (int i = 1; i <= room + 1; i++) {
      driver.request(i, WorkerSpec.of(large));
    }
    for (int i = 1; i <= room; i++) {
      news.next("started");
    }
    String reason = news.next("waits").reason();
    assertThat(reason)
        .contains("1 container of 4096 mb and 2 vcores")
        .containsPattern("YARN's answer since \\d\\d:\\d\\d:\\d\\d UTC: ")
        .contains("queue 'root.default' has " + room * 4096 + " mb", "100 %")
        .contains("its applications wait for 1 container in all")
        .contains("this application has " + room + " containers")
        .contains("of " + room + " nodes the one with most memory free has 0 mb")
        .contains("the largest container that can be asked for: 4096 mb and 16 vcores");
    driver.cancel(room + 1);
    assertThat(news.next("waits").reason()).isEmpty();
    end(driver);
  }

  @Test
  void endsTheApplicationWithItsOutcome() throws Exception {
    Path staging = Files.createDirectory(directory.resolve("staging"));
    Files.writeString(staging.resolve("file"), "x");
    YarnDriver driver =
        new YarnDriver(application.yarn(staging), settings(SMALL), this::writesItsNumber);
    started(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    ProcessHandle process = process(news.next("started").worker());
    assertThat(application.report().getOriginalTrackingUrl()).contains("http://localhost:8");
    driver
        .stop(new Ending.Over(ApplicationStatus.CANCELED, "Somebody has cancelled it."))
        .get(10, TimeUnit.SECONDS);
    await(() -> application.report().getYarnApplicationState() == YarnApplicationState.FINISHED);
    ApplicationReport report = application.report();
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.KILLED);
    assertThat(report.getDiagnostics()).contains("Somebody has cancelled it.");
    assertThat(staging).doesNotExist();
    await(() -> !process.isAlive());
  }

  private YarnDriver driver(Configuration configuration) {
    return new YarnDriver(application.yarn(), settings(configuration), this::writesItsNumber);
  }

  private static DriverSettings settings(Configuration configuration) {
    return new DriverSettings(
        configuration, new MasterAddress("localhost", 7, "http://localhost:8"));
  }

  private Supply started(YarnDriver driver) throws Exception {
    return driver.start(news).get(30, TimeUnit.SECONDS);
  }

  private static void end(YarnDriver driver) throws Exception {
    driver
        .stop(new Ending.Over(ApplicationStatus.SUCCEEDED, "All is well."))
        .get(10, TimeUnit.SECONDS);
  }

  private Launch writesItsNumber(WorkerId worker, WorkerSpec spec, String host) {
    Path file = directory.resolve(worker.value());
    return new Launch(
        List.of(),
        Map.of(),
        List.of(
            "echo",
            "$$",
            ">" + ShellText.word(file + ".new"),
            "&&",
            "mv",
            ShellText.word(file + ".new"),
            ShellText.word(file.toString()),
            "&&",
            "exec",
            "sleep",
            "300"));
  }

  private ProcessHandle process(String worker) throws Exception {
    Path file = directory.resolve(worker);
    await(() -> Files.exists(file));
    return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("It did not happen within 30 s");
      }
      Thread.onSpinWait();
    }
  }
}
