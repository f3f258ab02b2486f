package io.millrace.yarn.client;

import io.millrace.client.ClusterClient;
import io.millrace.client.Progress;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;

/** The target {@code yarn-per-job}: one cluster for each job, started by this client. */
public final class YarnPerJobTarget implements Target {
  @Override
  public String name() {
    return "yarn-per-job";
  }

  @Override
  public boolean outlivesClient() {
    return true;
  }

  @Override
  public ClusterClient open(Configuration configuration) {
    return open(configuration, Progress.SILENT);
  }

  @Override
  public ClusterClient open(Configuration configuration, Progress progress) {
    return new PerJobClusterClient(
        configuration,
        () -> YarnConnection.openForDeployment(configuration, System.getenv()),
        () -> EngineArchive.ofThisProcess(progress),
        progress);
  }
}
