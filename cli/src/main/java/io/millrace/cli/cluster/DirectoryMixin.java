package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.deployment.ClusterDirectory;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option {@code --dir} of commands about a cluster on this machine. */
final class DirectoryMixin {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "The directory with the settings, logs and pids of the cluster. Default:"
              + " $MILLRACE_CLUSTER_DIR, else ~/.millrace/cluster.")
  private Optional<Path> directory = Optional.empty();

  boolean isGiven() {
    return directory.isPresent();
  }

  ClusterDirectory directory(Console console) {
    return directory
        .map(ClusterDirectory::new)
        .orElseGet(() -> ClusterDirectory.byDefault(console));
  }
}
