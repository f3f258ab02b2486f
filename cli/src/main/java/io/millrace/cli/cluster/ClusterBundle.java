package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.cluster.keys.ClusterKeys;
import io.millrace.cluster.keys.JoinBundle;
import io.millrace.control.ha.Coordinators;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.RestToken;
import java.io.IOException;
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

/** Writes a file with which a TaskManager on another machine joins a cluster. */
@Command(
    name = "bundle",
    description = {
      "Writes a file with which one TaskManager on another machine joins this cluster: its"
          + " configuration, a key of its own and the secret of the cluster.",
      "Copy it over an encrypted connection, and give each TaskManager its own. Nobody else can read"
          + " the file."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cluster bundle worker.bundle",
      "  scp worker.bundle other-machine:",
      "  ssh other-machine millrace cluster join worker.bundle"
    })
final class ClusterBundle implements Callable<Integer> {
  /** Options of this machine and of the JobManager, by the start of their keys. */
  private static final List<String> NOT_OF_WORKERS =
      List.of("security.ssl.", "security.rest.", "rest.", "web.", "process.", "historyserver.");

  private static final int NAME_DIGITS = 8;

  private final Console console;

  @Parameters(paramLabel = "FILE", description = "The file to write. It must not exist.")
  private Path file;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "The id of the TaskManager. Default: taskmanager- and a random number.")
  private Optional<String> id = Optional.empty();

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "365",
      description =
          "Days until its key expires. The cluster accepts no connection with it later. Default:"
              + " ${DEFAULT-VALUE}.")
  private int days;

  @Mixin private DirectoryMixin directory;

  ClusterBundle(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    if (days < 1 || days > 3650) {
      throw new UsageException("--days requires a number from 1 to 3650, not " + days + ".");
    }
    ClusterDirectory clusterDirectory = directory.directory(console);
    if (clusterDirectory.runningAddress().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "No cluster runs in "
              + clusterDirectory.root()
              + ". Start one with `millrace cluster start --bind ADDRESS`.");
    }
    Configuration cluster = clusterDirectory.configuration();
    if (!ClusterBinding.hasKeys(cluster, clusterDirectory)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The cluster in "
              + clusterDirectory.root()
              + " has no keys with which other machines could join. Start it with `millrace cluster"
              + " start --bind ADDRESS`.");
    }
    Instant now = Instant.now();
    JoinBundle bundle =
        JoinBundle.of(
            ClusterKeys.open(clusterDirectory.keys()),
            new WorkerId(id.orElseGet(ClusterBundle::randomId)),
            ofWorkers(cluster),
            now,
            now.plus(Duration.ofDays(days)));
    bundle.write(file);
    console.out().println("Bundle: " + file + ", for TaskManager " + bundle.worker());
    console.out().println("Expires: " + bundle.expires());
    console.out().println("Use on the other machine: millrace cluster join " + file.getFileName());
    warnOfLocalCheckpoints(clusterDirectory, cluster);
    return ExitCodes.OK;
  }

  private static String randomId() {
    return ClusterProcess.TASK_MANAGER + RestToken.random().substring(0, NAME_DIGITS);
  }

  /** The options of a TaskManager, without the files and addresses of this machine. */
  static Configuration ofWorkers(Configuration cluster) {
    Configuration own =
        cluster.without(
            cluster.entries().keySet().stream()
                .filter(key -> NOT_OF_WORKERS.stream().anyMatch(key::startsWith))
                .toList());
    own =
        own.without(
            List.of(
                SecurityOptions.CLUSTER_SECRET_FILE.key(),
                CoreOptions.TMP_DIRS.key(),
                JobManagerOptions.BIND_HOST.key(),
                JobManagerOptions.BIND_PORT.key(),
                TaskManagerOptions.BIND_HOST.key(),
                TaskManagerOptions.HOST.key()));
    // Without a service, the recovery data are files of the JobManager's machine.
    return Coordinators.isConfigured(cluster)
        ? own
        : own.without(
            List.of(
                HighAvailabilityOptions.HA_MODE.key(),
                HighAvailabilityOptions.HA_STORAGE_PATH.key()));
  }

  private void warnOfLocalCheckpoints(ClusterDirectory clusterDirectory, Configuration cluster) {
    boolean local =
        cluster
            .find(CheckpointingOptions.DIRECTORY)
            .filter(clusterDirectory.checkpoints().toString()::equals)
            .isPresent();
    if (local) {
      console
          .err()
          .println(
              "Checkpoints are stored in "
                  + clusterDirectory.checkpoints()
                  + ", which other machines do not have. For jobs with checkpoints, start the cluster"
                  + " with -D "
                  + CheckpointingOptions.DIRECTORY.key()
                  + "=… on storage that all machines share.");
    }
  }
}
