package io.millrace.yarn.client;

import io.millrace.client.Lifeline;
import io.millrace.client.ProgramTarget;
import io.millrace.client.Progress;
import io.millrace.client.RunningProgram;
import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;

/** The target {@code yarn-application}: a cluster whose JobManager runs the program's main. */
public final class ApplicationTarget implements ProgramTarget {
  @Override
  public String name() {
    return "yarn-application";
  }

  @Override
  public RunningProgram start(
      ShippedProgram program, Configuration configuration, Progress progress) {
    Connection connection = Connection.open(configuration, System.getenv());
    YarnClusterClient cluster =
        new YarnClusterClient(
            connection.deploy(
                ClusterPlan.ofProgram(program, configuration),
                Engine.ofThisProcess(progress),
                progress),
            configuration.get(Options.CLIENT_TIMEOUT));
    return new YarnProgram(cluster, Lifeline.of(cluster, configuration));
  }
}
