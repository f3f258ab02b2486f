package io.millrace.yarn.master;

import io.millrace.cluster.PerJobProcess;
import java.util.List;

/** The JobManager of a cluster on YARN for one job, which the client has staged. */
public final class YarnJobProcess {
  private YarnJobProcess() {}

  /** Takes {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(
        ApplicationMasterMain.run(
            List.of(overrides),
            configuration ->
                PerJobProcess.run(
                    configuration,
                    ApplicationMasterContainer.current()
                        .stagedJob(ApplicationMasterMain.grace(configuration)))));
  }
}
