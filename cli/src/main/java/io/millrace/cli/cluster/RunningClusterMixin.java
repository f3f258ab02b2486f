package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import picocli.CommandLine.Mixin;

/**
 * The options of commands that change a running cluster: its REST address, which may be on any
 * machine, or its directory on this machine.
 */
final class RunningClusterMixin {
  @Mixin private ClusterMixin cluster;
  @Mixin private DirectoryMixin directory;

  /** Whether the command line names the cluster by its address. Its directory is unknown then. */
  boolean isNamedByAddress(Console console) {
    if (cluster.namesAddress(console) && directory.isGiven()) {
      throw new UsageException("-m and --dir both name a cluster. Omit one of them.");
    }
    return cluster.namesAddress(console);
  }

  ClusterDirectory directory(Console console) {
    return directory.directory(console);
  }

  /** The REST address of the cluster in the directory. */
  HostPort address(Console console) {
    ClusterDirectory clusterDirectory = directory(console);
    return clusterDirectory
        .runningAddress()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "No cluster runs in "
                        + clusterDirectory.root()
                        + ". Start one with `millrace cluster start`, or name another with --dir or"
                        + " -m."));
  }

  RestClusterClient client(Console console) {
    if (isNamedByAddress(console) || !directory.isGiven()) {
      return cluster.cluster(console);
    }
    return RestClusterClient.at(
        address(console), directory(console).withCredentials(cluster.configuration(console)));
  }
}
