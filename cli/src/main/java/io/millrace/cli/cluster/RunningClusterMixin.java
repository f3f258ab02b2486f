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
 * Mixed into the commands that change a cluster that runs. It is named by its REST address, which
 * may be on any machine, or by its directory on this one.
 */
final class RunningClusterMixin {
  @Mixin private ClusterMixin cluster;
  @Mixin private DirectoryMixin directory;

  /** Whether the user names it by its address: what it keeps in a directory is not known then. */
  boolean isNamedByAddress(Console console) {
    if (cluster.namesAddress(console) && directory.isGiven()) {
      throw new UsageException(
          "-m and --dir both say which cluster is meant. Leave out one of them.");
    }
    return cluster.namesAddress(console);
  }

  ClusterDirectory directory(Console console) {
    return directory.directory(console);
  }

  /** Where the cluster of the directory serves REST. */
  HostPort address(Console console) {
    ClusterDirectory place = directory(console);
    return place
        .runningAddress()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "No cluster runs in "
                        + place.root()
                        + ". Start one with `millrace cluster start`, or name another with --dir or"
                        + " -m."));
  }

  RestClusterClient client(Console console) {
    if (isNamedByAddress(console) || !directory.isGiven()) {
      return cluster.cluster(console);
    }
    return RestClusterClient.at(
        address(console), directory(console).withToken(cluster.configuration(console)));
  }
}
