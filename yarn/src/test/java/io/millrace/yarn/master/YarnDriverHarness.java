package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ShellQuoting;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Drivers on real daemons, each test with an application of its own. Containers are processes that
 * write down who they are and wait.
 */
final class YarnDriverHarness implements BeforeEachCallback, AfterEachCallback {
  static final Configuration SMALL =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1000m")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
          .with(YarnOptions.HEARTBEAT, "200 ms")
          .with(YarnOptions.REQUEST_HEARTBEAT, "100 ms");

  /** A node has room for one of them. */
  static final Configuration LARGE =
      SMALL.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MiniHadoop.MAXIMUM_MB + "m");

  private final MiniHadoop hadoop = MiniHadoop.running();
  private final String queue;
  private RecordedWorkerEvents news = new RecordedWorkerEvents();
  private Path directory;
  private CompetingApplication application;

  YarnDriverHarness(String queue) {
    this.queue = queue;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    news = new RecordedWorkerEvents();
    directory = Files.createTempDirectory("drivers-");
    application = CompetingApplication.of(hadoop, queue);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    application.close();
    CompetingApplication.await(
        () -> application.report().getYarnApplicationState() != YarnApplicationState.RUNNING);
    // What a test leaves is not to take the room of the next one.
    CompetingApplication.await(() -> application.containers() <= 0);
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  MiniHadoop hadoop() {
    return hadoop;
  }

  RecordedWorkerEvents news() {
    return news;
  }

  Path directory() {
    return directory;
  }

  CompetingApplication application() {
    return application;
  }

  YarnDriver driver(Configuration configuration) {
    return driver(configuration, this::writesItsNumber);
  }

  YarnDriver driver(Configuration configuration, WorkerLauncher program) {
    return new YarnDriver(yarn(Optional.empty()), settings(configuration), program);
  }

  YarnDriver driver(Configuration configuration, Path staging) {
    return new YarnDriver(
        yarn(Optional.of(staging.toUri())), settings(configuration), this::writesItsNumber);
  }

  private ApplicationMasterContext yarn(Optional<URI> staging) {
    return new ApplicationMasterContext(
        hadoop.configuration(), application.id().toString(), application.user(), staging);
  }

  private static YarnDriverSettings settings(Configuration configuration) {
    return new YarnDriverSettings(
        configuration, new ApplicationMasterAddress("localhost", 7, "http://localhost:8"));
  }

  DriverCapabilities start(YarnDriver driver) throws Exception {
    return driver.start(news).get(30, TimeUnit.SECONDS);
  }

  static void end(YarnDriver driver) throws Exception {
    driver
        .stop(new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "All is well."))
        .get(60, TimeUnit.SECONDS);
  }

  private ContainerLaunch writesItsNumber(WorkerId worker, WorkerSpec spec, String host) {
    Path file = directory.resolve(worker.value());
    return new ContainerLaunch(
        List.of(),
        Map.of(),
        List.of(
            "echo",
            "$$",
            ">" + ShellQuoting.word(file + ".new"),
            "&&",
            "mv",
            ShellQuoting.word(file + ".new"),
            ShellQuoting.word(file.toString()),
            "&&",
            "exec",
            "sleep",
            "300"));
  }

  ProcessHandle process(String worker) throws YarnException, IOException {
    Path file = directory.resolve(worker);
    CompetingApplication.await(() -> Files.exists(file));
    return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
  }

  /** What YARN knows of a worker's container. */
  ContainerReport container(String worker) throws YarnException, IOException {
    return hadoop.client().getContainerReport(ContainerId.fromString(worker));
  }

  NodeId node(String worker) throws YarnException, IOException {
    return container(worker).getAssignedNode();
  }
}
