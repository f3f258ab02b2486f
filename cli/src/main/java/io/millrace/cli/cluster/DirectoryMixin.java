package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
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
    // A script with an unset variable would otherwise name the working directory.
    if (directory.filter(path -> path.toString().isEmpty()).isPresent()) {
      throw new UsageException("The value of --dir is empty. Name a directory for the cluster.");
    }
    return directory
        .map(ClusterDirectory::new)
        .orElseGet(() -> ClusterDirectory.byDefault(console));
  }
}
