package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ShellQuoting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Drivers on real daemons, each test with its own application. Containers are processes that write
 * their process id to a file and wait.
 */
final class YarnDriverHarness implements BeforeEachCallback, AfterEachCallback {
  static final Configuration SMALL =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1000m")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
          .with(YarnOptions.HEARTBEAT, "200 ms")
          .with(YarnOptions.REQUEST_HEARTBEAT, "100 ms");

  /** One of these fits on a node. */
  static final Configuration LARGE =
      SMALL.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MiniHadoop.MAXIMUM_MB + "m");

  private final MiniHadoop hadoop = MiniHadoop.running();
  private final String queue;
  private RecordedWorkerEvents events = new RecordedWorkerEvents();
  private LiveEnv env;
  private Path directory;
  private CompetingApplication application;

  YarnDriverHarness(String queue) {
    this.queue = queue;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    events = new RecordedWorkerEvents();
    env = new LiveEnv("yarn-driver-test");
    directory = Files.createTempDirectory("drivers-");
    application = CompetingApplication.of(hadoop, queue);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    env.close();
    application.close();
    CompetingApplication.await(
        () -> application.report().getYarnApplicationState() != YarnApplicationState.RUNNING);
    // Containers that a test has left would take the resources of the next test.
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

  RecordedWorkerEvents events() {
    return events;
  }

  Path directory() {
    return directory;
  }

  CompetingApplication application() {
    return application;
  }

  YarnDriver driver(Configuration configuration) {
    return driver(configuration, this::writesProcessId);
  }

  YarnDriver driver(Configuration configuration, WorkerLauncher launcher) {
    return driver(
        configuration,
        launcher,
        new ApplicationMasterContext(
            hadoop.configuration(),
            application.id().toString(),
            application.user(),
            Optional.empty(),
            new Credentials()));
  }

  /**
   * @param staging removed when the application is over
   */
  YarnDriver driver(Configuration configuration, Path staging) {
    return driver(
        configuration,
        this::writesProcessId,
        new ApplicationMasterContext(
            hadoop.configuration(),
            application.id().toString(),
            application.user(),
            Optional.of(staging.toUri()),
            new Credentials()));
  }

  private YarnDriver driver(
      Configuration configuration, WorkerLauncher launcher, ApplicationMasterContext yarn) {
    return new YarnDriver(
        env,
        new HadoopMasterClient(yarn, configuration, env::wallMillis),
        new YarnDriverSettings(
            yarn.application(),
            configuration,
            new ApplicationMasterAddress("localhost", 7, "http://localhost:8")),
        launcher);
  }

  DriverCapabilities start(YarnDriver driver) throws Exception {
    return driver.start(events).get(30, TimeUnit.SECONDS);
  }

  static void end(YarnDriver driver) throws Exception {
    driver
        .stop(new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "All is well."))
        .get(60, TimeUnit.SECONDS);
  }

  private ContainerLaunch writesProcessId(WorkerId worker, WorkerSpec spec, String host) {
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

  /** The report of YARN about a worker's container. */
  ContainerReport container(String worker) throws YarnException, IOException {
    return hadoop.client().getContainerReport(ContainerId.fromString(worker));
  }

  NodeId node(String worker) throws YarnException, IOException {
    return container(worker).getAssignedNode();
  }
}
