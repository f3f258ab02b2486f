package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.UserHome;
import io.millrace.cluster.process.ProcessDriver;
import io.millrace.cluster.process.WorkerFiles;
import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverProvider;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.rpc.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Brings the driver {@code process}, whose workers are TaskManagers of this distribution. */
public final class ProcessDriverProvider implements DriverProvider {
  /** What {@code resourcemanager.driver} calls it. */
  public static final String NAME = "process";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public WorkerDriver driver(Configuration configuration, Env env) {
    Configuration sized = DefaultProcessSizes.in(configuration);
    return new ProcessDriver(
        directory(sized),
        sized.get(TaskManagerOptions.HOST),
        startable(sized),
        (worker, spec, place) -> prepare(spec.in(sized), worker, place));
  }

  /** Workers of the configured size, and larger ones as far as this machine goes. */
  private static Startable startable(Configuration configuration) {
    WorkerSpec usual = WorkerSpec.of(configuration);
    long memory = HostResources.physicalMemory();
    return new Startable(
        usual,
        most(configuration),
        ProcessOptions.MAX_TASK_MANAGERS.key(),
        Optional.of(
            new CustomWorkerSizes(
                configuration,
                // Cores are there on paper, and the usual workers may have more of them.
                Math.max(usual.total().cpuCores(), Runtime.getRuntime().availableProcessors()),
                memory == 0 ? Long.MAX_VALUE : memory,
                "this machine")));
  }

  private static int most(Configuration configuration) {
    int most = configuration.get(ProcessOptions.MAX_TASK_MANAGERS);
    return most >= 0 ? most : Runtime.getRuntime().availableProcessors();
  }

  /** Of a fixed name, so that a JobManager at the same port finds what an earlier one has left. */
  private static Path directory(Configuration configuration) {
    return configuration
        .find(ProcessOptions.DIRECTORY)
        .map(Path::of)
        .orElseGet(
            () ->
                UserHome.of(System.getenv())
                    .resolve(".millrace")
                    .resolve("jobmanager-" + configuration.get(JobManagerOptions.PORT)));
  }

  private static List<String> prepare(
      Configuration configuration, WorkerId worker, WorkerFiles.Place place) throws IOException {
    Configuration own =
        configuration
            .with(TaskManagerOptions.RESOURCE_ID, worker)
            .with(CoreOptions.TMP_DIRS, place.tmp())
            // The JobManager's own would be overwritten.
            .with(ProcessOptions.ADDRESS_FILE, place.directory().resolve("addresses"));
    ConfigurationFile.write(own, place.conf());
    return ServerJvm.TASK_MANAGER.command(
        own, new Distribution(ConfigurationFile.home()), place.log());
  }
}
