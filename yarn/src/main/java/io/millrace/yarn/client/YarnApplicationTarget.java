package io.millrace.yarn.client;

import io.millrace.client.ProgramTarget;
import io.millrace.client.Progress;
import io.millrace.client.RunningProgram;
import io.millrace.client.ShippedProgram;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;

/** The target {@code yarn-application}: a cluster whose JobManager runs the {@code main}. */
public final class YarnApplicationTarget implements ProgramTarget {
  @Override
  public String name() {
    return "yarn-application";
  }

  @Override
  public RunningProgram start(
      ShippedProgram program, Configuration configuration, Progress progress) {
    YarnConnection connection = YarnConnection.openForDeployment(configuration, System.getenv());
    YarnClusterClient cluster =
        new YarnClusterClient(
            connection.deploy(
                DeploymentSpec.ofProgram(program, configuration),
                EngineArchive.ofThisProcess(progress),
                progress),
            configuration.get(ClientOptions.CLIENT_TIMEOUT));
    return new YarnProgram(cluster, configuration);
  }
}
