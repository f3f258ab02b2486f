package io.millrace.yarn.master;

import io.millrace.client.ClientHeartbeat;
import io.millrace.cluster.ApplicationProcess;
import java.time.Duration;
import java.util.List;

/** The JobManager of a cluster on YARN that runs the {@code main} of a program. */
public final class YarnApplicationProcess {
  private YarnApplicationProcess() {}

  /**
   * Takes {@code key=value} pairs that override the configuration file, then {@code --}, the main
   * class ({@code -} for the one that the manifest names), the jar and the program's arguments.
   */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) {
    ApplicationProcess.Arguments parsed = ApplicationProcess.Arguments.parse(arguments);
    return ApplicationMasterMain.run(
        parsed.overrides(),
        configuration ->
            // The client learns of the end from YARN, so the process need not wait for it.
            ApplicationProcess.run(
                configuration,
                parsed.program(),
                new ApplicationProcess.Client(
                    Duration.ZERO, ClientHeartbeat.timeout(configuration))));
  }
}
