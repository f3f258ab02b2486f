package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cluster.keys.ClusterKeys;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates the keys of a cluster. */
@Command(
    name = "keys",
    description = {
      "Creates the certificate authority and the secret of a cluster in its directory.",
      "`cluster start --bind` does this by itself if there are none. They stay when the cluster is"
          + " stopped, so that bundles for other machines fit its next start, too; to revoke all of"
          + " them, stop the cluster and remove the directory of the keys."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cluster keys",
      "  millrace cluster start --bind 192.0.2.7"
    })
final class ClusterKeysCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private DirectoryMixin directory;

  ClusterKeysCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    ClusterDirectory clusterDirectory = directory.directory(console);
    clusterDirectory.withLock(
        () -> {
          ClusterKeys keys = ClusterKeys.create(clusterDirectory.keys(), Instant.now());
          console.out().println("Keys: " + keys + " (only you can read them)");
          console.out().println("Certificate of the authority: " + keys.certificate());
          console.out().println("SHA-256: " + keys.fingerprint());
          console.out().println("Start the cluster with `millrace cluster start --bind ADDRESS`.");
        });
    return ExitCodes.OK;
  }
}
