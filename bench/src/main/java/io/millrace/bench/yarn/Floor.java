package io.millrace.bench.yarn;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The minimum time of YARN: submits an application whose master starts one container with a JVM
 * that only records its start, and waits for its end.
 */
public final class Floor {
  static final String CONTAINER_JVM =
      "${JAVA_HOME:+$JAVA_HOME/bin/}java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
          + " -cp '*':$HADOOP_CONF_DIR ";

  private static final Set<YarnApplicationState> ENDED =
      Set.of(
          YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);

  private Floor() {}

  /** {@code put JAR…} uploads the libraries; {@code run FILE} writes the time to that file. */
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = new YarnConfiguration();
    switch (arguments[0]) {
      case "put" -> FloorFiles.put(configuration, List.of(arguments).subList(1, arguments.length));
      case "run" -> run(configuration, arguments[1]);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    System.exit(0);
  }

  private static void run(Configuration configuration, String marker) throws Exception {
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(configuration);
    yarn.start();
    YarnClientApplication application = yarn.createApplication();
    ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
    context.setApplicationName("floor");
    context.setMaxAppAttempts(1);
    context.setResource(Resource.newInstance(256, 1));
    context.setAMContainerSpec(
        ContainerLaunchContext.newInstance(
            FloorFiles.resources(configuration),
            Map.of(),
            List.of(
                CONTAINER_JVM
                    + FloorMaster.class.getName()
                    + " "
                    + marker
                    + " 1>"
                    + ApplicationConstants.LOG_DIR_EXPANSION_VAR
                    + "/stdout 2>"
                    + ApplicationConstants.LOG_DIR_EXPANSION_VAR
                    + "/stderr"),
            Map.of(),
            null,
            Map.of()));
    yarn.submitApplication(context);
    ApplicationReport report = yarn.getApplicationReport(context.getApplicationId());
    while (!ENDED.contains(report.getYarnApplicationState())) {
      TimeUnit.MILLISECONDS.sleep(50);
      report = yarn.getApplicationReport(context.getApplicationId());
    }
    if (report.getFinalApplicationStatus() != FinalApplicationStatus.SUCCEEDED) {
      throw new IllegalStateException("The application failed: " + report.getDiagnostics());
    }
    yarn.stop();
  }
}
