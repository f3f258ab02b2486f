package io.millrace.cli.cluster;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.cluster.ProcessDriverProvider;
import io.millrace.control.ha.Coordinators;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.plugin.Plugins;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts a cluster. */
@Command(
    name = "start",
    description = {
      "Starts a JobManager and TaskManagers on this machine.",
      "Returns when all of them are registered, and prints the REST address.",
      "If the cluster in the directory has lost a JobManager, restarts it: it recovers the jobs,"
          + " and living TaskManagers register again.",
      "With --elastic it starts only the JobManager, which starts TaskManagers when jobs need them"
          + " and ends idle ones."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cluster start --taskmanagers 2 --slots 4",
      "  millrace cluster start --jobmanagers 2 -D high-availability.type=zookeeper \\",
      "    -D high-availability.zookeeper.quorum=one:2181,two:2181,three:2181",
      "  millrace cluster start --elastic --max-taskmanagers 4 --slots 2",
      "  millrace cluster start --bind 192.0.2.7"
    })
final class ClusterStart implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--jobmanagers",
      paramLabel = "N",
      description =
          "Number of JobManagers, of which one leads and the others take its place when it ends."
              + " More than one needs high-availability.type zookeeper. Default: 1.")
  private int jobManagers = 1;

  @Option(
      names = "--taskmanagers",
      paramLabel = "N",
      description = "Number of TaskManagers. Default: 1.")
  private Optional<Integer> taskManagers = Optional.empty();

  @Option(names = "--elastic", description = "Start and end TaskManagers as the jobs need them.")
  private boolean elastic;

  @Option(
      names = "--max-taskmanagers",
      paramLabel = "N",
      description =
          "Maximum number of TaskManagers of an elastic cluster. Default:"
              + " process.max-taskmanagers.")
  private Optional<Integer> maxTaskManagers = Optional.empty();

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of each TaskManager. Default: taskmanager.numberOfTaskSlots.")
  private Optional<Integer> slots = Optional.empty();

  @Option(
      names = "--rest-port",
      paramLabel = "PORTS",
      description =
          "Port of REST, or a range such as 50100-50200. Default: rest.bind-port or rest.port if"
              + " set, else 8081 or, if that is in use, a free port.")
  private Optional<String> restPort = Optional.empty();

  @Option(
      names = "--rpc-port",
      paramLabel = "PORTS",
      description =
          "RPC port of the JobManager, or a range. Default: jobmanager.rpc.port if set, else a"
              + " free one.")
  private Optional<String> rpcPort = Optional.empty();

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "Address of this machine at which other machines reach the cluster. All connections are"
              + " then encrypted, with keys that the cluster makes for itself; other machines join"
              + " with `cluster bundle` and `cluster join`. Default: loopback only.")
  private Optional<String> bind = Optional.empty();

  @Spec private CommandSpec spec;
  @Mixin private ConfigurationMixin settings;
  @Mixin private DirectoryMixin directory;

  ClusterStart(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    check("--jobmanagers", jobManagers);
    taskManagers.ifPresent(count -> check("--taskmanagers", count));
    maxTaskManagers.ifPresent(count -> check("--max-taskmanagers", count));
    Configuration loaded = DefaultProcessSizes.in(settings.load(console));
    Optional<ClusterBinding> binding = bind.map(ClusterBinding::parse);
    Configuration given = binding.map(address -> address.in(loaded)).orElse(loaded);
    elastic |= isElastic(given);
    checkOptionsMatch(given);
    slots.ifPresent(count -> check("--slots", count));
    ClusterDirectory clusterDirectory = directory.directory(console);
    clusterDirectory.withLock(
        () -> {
          ClusterRestart restart = new ClusterRestart(console, clusterDirectory);
          if (restart.isNeeded()) {
            restart.run(settingsGiven());
          } else {
            start(clusterDirectory, given, binding);
          }
        });
    return ExitCodes.OK;
  }

  private List<String> settingsGiven() {
    return spec.commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(name -> !name.equals("--dir") && !name.equals("--verbose"))
        .toList();
  }

  private void start(
      ClusterDirectory clusterDirectory, Configuration given, Optional<ClusterBinding> binding)
      throws IOException {
    checkNotRunning(clusterDirectory);
    clusterDirectory.clearRemains();
    clusterDirectory.create();
    try (FreePorts free = new FreePorts(given.get(RestOptions.BIND_ADDRESS))) {
      ClusterPorts ports = new ClusterPorts(free, given, restPort, rpcPort);
      Configuration plain = configuration(clusterDirectory, given, ports);
      Configuration configuration =
          binding.isPresent() ? binding.get().withKeys(plain, clusterDirectory) : plain;
      ConfigurationFile.write(configuration, clusterDirectory.conf());
      clusterDirectory.writeAddress(HostPort.of(configuration));
      String plugins = console.environment().getOrDefault(Plugins.DIRECTORY_VARIABLE, "");
      if (!plugins.isEmpty()) {
        clusterDirectory.writePlugins(Path.of(plugins));
      }
      ClusterStarter launch = new ClusterStarter(console, clusterDirectory, configuration);
      if (elastic) {
        launch.startElastic(configuration.get(TaskManagerOptions.NUM_TASK_SLOTS));
      } else {
        for (int i = 2; i <= jobManagers; i++) {
          clusterDirectory.writeAddress(
              ClusterProcess.jobManager(i),
              new HostPort(configuration.get(RestOptions.ADDRESS), ports.furtherRest()));
        }
        launch.start(jobManagers, taskManagers.orElse(1));
      }
    } catch (IOException | RuntimeException e) {
      new ClusterShutdown(clusterDirectory).kill();
      clusterDirectory.clearFailedStart();
      throw e;
    }
  }

  /** Whether the cluster starts and ends TaskManagers as the jobs need them. */
  static boolean isElastic(Configuration configuration) {
    return configuration.get(ResourceManagerOptions.DRIVER).equals(ProcessDriverProvider.NAME);
  }

  private void checkOptionsMatch(Configuration given) {
    if (jobManagers > 1 && !Coordinators.isConfigured(given)) {
      throw new UsageException(
          "More than one JobManager needs a service that elects one of them: set "
              + HighAvailabilityOptions.HA_MODE.key()
              + " to zookeeper, or omit --jobmanagers.");
    }
    if (jobManagers > 1 && elastic) {
      throw new UsageException(
          "An elastic cluster has one JobManager. Omit --elastic or --jobmanagers.");
    }
    if (elastic && taskManagers.isPresent()) {
      throw new UsageException(
          "An elastic cluster starts TaskManagers when jobs need them. Omit --taskmanagers, or"
              + " limit their number with --max-taskmanagers.");
    }
    if (!elastic && maxTaskManagers.isPresent()) {
      throw new UsageException(
          "--max-taskmanagers applies only to an elastic cluster. Add --elastic.");
    }
  }

  static void check(String option, int count) {
    if (count < 1) {
      throw new UsageException(option + " requires a number of at least 1, not " + count + ".");
    }
  }

  private static void checkNotRunning(ClusterDirectory clusterDirectory) {
    List<ClusterProcess> alive = clusterDirectory.alive();
    if (!alive.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "A cluster already runs in "
              + clusterDirectory.root()
              + clusterDirectory.address().map(at -> " (REST at " + at + ")").orElse("")
              + ". Stop it with `millrace cluster stop`, or start another one with --dir.");
    }
  }

  private Configuration configuration(
      ClusterDirectory clusterDirectory, Configuration given, ClusterPorts ports) {
    Configuration full = given.with(SecurityOptions.CLUSTER_SECRET_FILE, clusterDirectory.secret());
    if (slots.isPresent()) {
      full = full.with(TaskManagerOptions.NUM_TASK_SLOTS, slots.get());
    }
    if (!given.contains(SecurityOptions.REST_TOKEN_FILE)) {
      full = full.with(SecurityOptions.REST_TOKEN_FILE, clusterDirectory.restToken());
    }
    if (!given.contains(CoreOptions.TMP_DIRS)) {
      // Temporary files of killed processes are deleted with the directory of the cluster.
      full = full.with(CoreOptions.TMP_DIRS, clusterDirectory.tmp());
    }
    if (!given.contains(HighAvailabilityOptions.HA_MODE)) {
      full = full.with(HighAvailabilityOptions.HA_MODE, HighAvailabilityOptions.FILE);
    }
    if (Coordinators.isConfigured(given)
        && !given.contains(HighAvailabilityOptions.HA_CLUSTER_ID)) {
      // Another cluster with the same servers must not find the data of this one.
      full =
          full.with(
              HighAvailabilityOptions.HA_CLUSTER_ID, "cluster-" + Id128.random(new SecureRandom()));
    }
    if (!given.contains(HighAvailabilityOptions.HA_STORAGE_PATH)) {
      full = full.with(HighAvailabilityOptions.HA_STORAGE_PATH, clusterDirectory.ha());
    }
    if (!given.contains(CheckpointingOptions.DIRECTORY)) {
      full = full.with(CheckpointingOptions.DIRECTORY, clusterDirectory.checkpoints().toString());
    }
    if (!given.contains(CheckpointingOptions.SAVEPOINT_DIRECTORY)) {
      full =
          full.with(
              CheckpointingOptions.SAVEPOINT_DIRECTORY, clusterDirectory.savepoints().toString());
    }
    if (elastic) {
      full =
          full.with(ResourceManagerOptions.DRIVER, ProcessDriverProvider.NAME)
              .with(ProcessOptions.DIRECTORY, clusterDirectory.root());
    }
    if (maxTaskManagers.isPresent()) {
      full = full.with(ProcessOptions.MAX_TASK_MANAGERS, maxTaskManagers.get());
    }
    return ports.in(full);
  }
}
