package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.client.DeploymentCleanup;
import io.millrace.client.ProcessEnvironment;
import io.millrace.core.config.Configuration;
import java.util.List;

/** Removes staged files and tokens of applications that have ended. */
public final class YarnCleanup implements DeploymentCleanup {
  @Override
  public String name() {
    return "YARN";
  }

  @Override
  public boolean isConfigured(Configuration configuration, ProcessEnvironment environment) {
    return List.of("HADOOP_CONF_DIR", "HADOOP_HOME").stream()
        .anyMatch(name -> !environment.variables().getOrDefault(name, "").isBlank());
  }

  @Override
  public List<CleanupFinding> clean(
      CleanupRequest request, Configuration configuration, ProcessEnvironment environment) {
    try (YarnConnection connection = YarnConnection.open(configuration, environment.variables())) {
      return connection.clean(request);
    }
  }
}
