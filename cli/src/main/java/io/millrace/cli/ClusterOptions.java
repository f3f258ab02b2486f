package io.millrace.cli;

import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.TargetRequest;
import io.millrace.core.config.Configuration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mixed into every command that talks to a cluster. */
final class ClusterOptions {
  @Option(
      names = {"-m", "--jobmanager"},
      paramLabel = "HOST:PORT",
      description =
          "REST address of the JobManager. Default: the cluster that `cluster start` started, else"
              + " rest.address and rest.port.")
  private Optional<String> jobManager = Optional.empty();

  @Mixin private ConfigurationOption settings;

  /** Whether the user says where the JobManager is. */
  boolean namesAddress() {
    return jobManager.isPresent();
  }

  Configuration configuration(Console console) {
    return settings.load(console);
  }

  TargetRequest request(Console console, Optional<String> target) {
    Optional<HostPort> address = UsageException.reading(() -> jobManager.map(HostPort::parse));
    // Also where its JobManager is dead: falling back to another address could reach a stranger's.
    Optional<HostPort> started =
        address.isPresent() ? Optional.empty() : ClusterDirectory.byDefault(console).address();
    return new TargetRequest(target, address, started, configuration(console));
  }

  /** The cluster that a command without a program means. */
  RestClusterClient cluster(Console console) {
    TargetRequest request = request(console, Optional.empty());
    return RestClusterClient.at(request.clusterAddress(), request.configuration());
  }
}
