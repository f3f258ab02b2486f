package io.millrace.cli.cluster;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.Distribution;
import io.millrace.cluster.keys.JobManagerContact;
import io.millrace.cluster.keys.JoinBundle;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.PrivateFile;
import io.millrace.core.tls.ClusterKeyFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Starts a TaskManager of a cluster on another machine. */
@Command(
    name = "join",
    description = {
      "Starts a TaskManager on this machine, which joins the cluster that has written the bundle.",
      "Returns when it is registered. `cluster status` and `cluster stop` work on this machine, too."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster join worker.bundle --slots 4"})
final class ClusterJoin implements Callable<Integer> {
  private static final Duration CONTACT_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Console console;

  @Parameters(
      paramLabel = "BUNDLE",
      description = "The file that `cluster bundle` has written on the machine of the JobManager.")
  private Path file;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of the TaskManager. Default: as in the cluster.")
  private Optional<Integer> slots = Optional.empty();

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "Address of this machine at which the others reach it. Default: the one from which it"
              + " reaches the JobManager.")
  private Optional<String> bind = Optional.empty();

  @Mixin private ConfigurationMixin settings;
  @Mixin private DirectoryMixin directory;

  ClusterJoin(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    slots.ifPresent(count -> ClusterStart.check("--slots", count));
    // Mistakes in the command come first.
    settings.load(console, List.of(), warning -> {});
    JoinBundle bundle = JoinBundle.read(file);
    bundle.checkValid(Instant.now());
    ClusterDirectory own = directory.directory(console);
    own.withLock(() -> join(bundle, own));
    return ExitCodes.OK;
  }

  private void join(JoinBundle bundle, ClusterDirectory own) throws IOException {
    checkUnused(own);
    own.clearRemains();
    // The options of the cluster take precedence over the file of this machine, and -D over both.
    List<String> ofCluster =
        bundle.options().entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .toList();
    Configuration given = settings.load(console, ofCluster);
    String jobManager =
        given.get(JobManagerOptions.ADDRESS) + ":" + given.get(JobManagerOptions.PORT);
    own.createJoined(bundle.secret(), jobManager);
    try {
      Path store = own.conf().resolve("key.jks");
      PrivateFile.create(store, bundle.keyStore().unsafeArray());
      Configuration configuration =
          configuration(
              bundle, given, own, new ClusterKeyFiles(store.toString(), bundle.password()));
      InetAddress route = JobManagerContact.of(configuration).verify(CONTACT_TIMEOUT);
      configuration =
          bind.map(ClusterBinding::parse)
              .orElseGet(() -> new ClusterBinding(route.getHostAddress(), route))
              .ofTaskManager(configuration);
      ConfigurationFile.write(configuration, own.conf());
      String plugins = console.environment().getOrDefault(Plugins.DIRECTORY_VARIABLE, "");
      if (!plugins.isEmpty()) {
        own.writePlugins(Path.of(plugins));
      }
      ClusterProcess started =
          new ProcessLauncher(new Distribution(console.home()), own, configuration)
              .taskManager(bundle.worker());
      console.err().println("Starting " + started.name() + " (pid " + started.pid() + ")");
      awaitRegistered(own, started, addresses(own), jobManager);
      console
          .out()
          .println("TaskManager " + started.name() + " has joined the cluster at " + jobManager);
    } catch (IOException | RuntimeException e) {
      new ClusterShutdown(own).kill();
      own.clearFailedStart();
      throw e;
    }
  }

  private static void checkUnused(ClusterDirectory own) {
    if (!own.alive().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Processes of a cluster run in "
              + own.root()
              + ". Stop them with `millrace cluster stop`, or name another directory with --dir.");
    }
    if (own.processes().stream().anyMatch(ClusterProcess::isJobManager)) {
      throw new MillraceException(
          ErrorKind.USER,
          own.root()
              + " has the files of a cluster whose JobManager has ended. Restart it with `millrace"
              + " cluster start`, remove it with `millrace cluster stop`, or name another directory"
              + " with --dir.");
    }
  }

  private static Path addresses(ClusterDirectory own) {
    return own.tmp().resolve("addresses");
  }

  private Configuration configuration(
      JoinBundle bundle, Configuration given, ClusterDirectory own, ClusterKeyFiles key) {
    Configuration whole =
        key.in(
            DefaultProcessSizes.in(given)
                .with(SecurityOptions.CLUSTER_SECRET_FILE, own.secret())
                .with(TaskManagerOptions.RESOURCE_ID, bundle.worker())
                .with(ProcessOptions.ADDRESS_FILE, addresses(own)));
    if (slots.isPresent()) {
      whole = whole.with(TaskManagerOptions.NUM_TASK_SLOTS, slots.get());
    }
    return given.contains(CoreOptions.TMP_DIRS)
        ? whole
        : whole.with(CoreOptions.TMP_DIRS, own.tmp());
  }

  private void awaitRegistered(
      ClusterDirectory own, ClusterProcess process, Path addresses, String jobManager)
      throws IOException {
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (System.nanoTime() < deadline) {
      if (Files.exists(addresses)
          && Files.readAllLines(addresses).stream()
              .anyMatch(line -> line.startsWith("registered="))) {
        return;
      }
      if (!process.isAlive()) {
        throw ProcessLauncher.failed(
            console, own, process.name(), process.name() + " ended while it started");
      }
      ClusterStarter.pause(PAUSE);
    }
    throw ProcessLauncher.failed(
        console,
        own,
        process.name(),
        "After "
            + BOUND.toSeconds()
            + " s TaskManager "
            + process.name()
            + " is not registered at "
            + jobManager);
  }
}
