package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.UserHome;
import io.millrace.cluster.keys.ClusterKeys;
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
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Provides the driver {@code process}, whose workers are TaskManagers on this machine. */
public final class ProcessDriverProvider implements DriverProvider {
  /** The value of {@code resourcemanager.driver}. */
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
        (worker, spec, paths) -> prepare(spec.in(sized), worker, paths));
  }

  /** Workers of the configured size, and larger ones up to the size of this machine. */
  private static Startable startable(Configuration configuration) {
    WorkerSpec configured = WorkerSpec.of(configuration);
    long memory = HostResources.physicalMemory();
    return new Startable(
        configured,
        most(configuration),
        ProcessOptions.MAX_TASK_MANAGERS.key(),
        Optional.of(
            new CustomWorkerSizes(
                configuration,
                // CPU cores are not enforced, and the configured workers may have more than the
                // machine.
                Math.max(configured.total().cpuCores(), Runtime.getRuntime().availableProcessors()),
                memory == 0 ? Long.MAX_VALUE : memory,
                "this machine")));
  }

  private static int most(Configuration configuration) {
    int most = configuration.get(ProcessOptions.MAX_TASK_MANAGERS);
    return most >= 0 ? most : Runtime.getRuntime().availableProcessors();
  }

  /** A fixed name, so that a JobManager with the same port finds the workers of an earlier one. */
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
      Configuration configuration, WorkerId worker, WorkerFiles.WorkerPaths paths)
      throws IOException {
    Configuration own =
        configuration
            .with(TaskManagerOptions.RESOURCE_ID, worker)
            .with(CoreOptions.TMP_DIRS, paths.tmp())
            // The address file of the JobManager would be overwritten.
            .with(ProcessOptions.ADDRESS_FILE, paths.directory().resolve("addresses"));
    Configuration keyed = withKey(own, worker, paths.directory().resolve("key.jks"));
    ConfigurationFile.write(keyed, paths.conf());
    return ServerJvm.TASK_MANAGER.command(
        keyed, new Distribution(ConfigurationFile.home()), paths.log());
  }

  /** With a key of its own, if the keys of the cluster are in the directory of the driver. */
  private static Configuration withKey(Configuration configuration, WorkerId worker, Path store)
      throws IOException {
    Path keys = directory(configuration).resolve(ClusterKeys.DIRECTORY);
    return ClusterKeys.areUsed(configuration, keys)
        ? ClusterKeys.open(keys).worker(worker, store, Instant.now()).in(configuration)
        : configuration;
  }
}
