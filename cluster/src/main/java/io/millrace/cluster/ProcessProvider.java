package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.UserHome;
import io.millrace.cluster.process.ProcessDriver;
import io.millrace.cluster.process.WorkerFiles;
import io.millrace.control.driver.DriverProvider;
import io.millrace.control.driver.Supply.Startable;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemorySize;
import io.millrace.core.config.Options;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.ShippedSizes;
import io.millrace.rpc.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Brings the driver {@code process}, whose workers are TaskManagers of this distribution. */
public final class ProcessProvider implements DriverProvider {
  /** What {@code resourcemanager.driver} calls it. */
  public static final String NAME = "process";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public WorkerDriver driver(Configuration configuration, Env env) {
    Configuration sized = ShippedSizes.in(configuration);
    return new ProcessDriver(
        directory(sized),
        sized.get(Options.TASK_MANAGER_HOST),
        new Startable(WorkerSpec.of(sized), most(sized), Options.MAX_PROCESSES.key()),
        (worker, spec, place) -> prepare(configured(sized, spec), worker, place));
  }

  private static int most(Configuration configuration) {
    int most = configuration.get(Options.MAX_PROCESSES);
    return most >= 0 ? most : Runtime.getRuntime().availableProcessors();
  }

  /** Of a fixed name, so that a JobManager at the same port finds what an earlier one has left. */
  private static Path directory(Configuration configuration) {
    return configuration
        .find(Options.PROCESS_DIRECTORY)
        .map(Path::of)
        .orElseGet(
            () ->
                UserHome.of(System.getenv())
                    .resolve(".millrace")
                    .resolve("jobmanager-" + configuration.get(Options.JOB_MANAGER_PORT)));
  }

  private static List<String> prepare(
      Configuration configuration, WorkerId worker, WorkerFiles.Place place) throws IOException {
    Configuration own =
        configuration
            .with(Options.WORKER_ID, worker)
            .with(Options.TMP_DIRS, place.tmp())
            // The JobManager's own would be overwritten.
            .with(Options.ADDRESS_FILE, place.directory().resolve("addresses"));
    ConfigurationFile.write(own, place.conf());
    return Server.TASK_MANAGER.command(
        own, new Distribution(ConfigurationFile.home()), place.log());
  }

  /** The configuration of workers of a size; what they are by default needs no change. */
  static Configuration configured(Configuration configuration, WorkerSpec spec) {
    if (WorkerSpec.of(configuration).equals(spec)) {
      return configuration;
    }
    Map<String, String> parts = new TreeMap<>(configuration.entries());
    // The totals follow from the parts.
    parts.remove(Options.TASK_MANAGER_PROCESS_MEMORY.key());
    parts.remove(Options.TASK_MANAGER_FLINK_MEMORY.key());
    ResourceProfile total = spec.total();
    Configuration sized = new Configuration(parts);
    for (Map.Entry<String, Long> external : total.external().entrySet()) {
      sized =
          sized.with(
              Options.EXTERNAL_RESOURCE_AMOUNT.named(external.getKey()), external.getValue());
    }
    return sized
        .with(Options.EXTERNAL_RESOURCES, total.external().keySet())
        .with(Options.SLOTS, spec.slots())
        .with(Options.CPU_CORES, total.cpuCores())
        .with(Options.TASK_HEAP, new MemorySize(total.taskHeap()))
        .with(Options.TASK_OFF_HEAP, new MemorySize(total.taskOffHeap()))
        .with(Options.MANAGED_MEMORY, new MemorySize(total.managed()))
        .with(Options.NETWORK_MIN, new MemorySize(total.network()))
        .with(Options.NETWORK_MAX, new MemorySize(total.network()));
  }
}
