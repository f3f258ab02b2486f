package io.millrace.yarn.master;

import io.millrace.cluster.JobManagerProcess;
import java.util.List;

/** The JobManager of a session cluster on YARN. */
public final class YarnSessionProcess {
  private YarnSessionProcess() {}

  /** Takes {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(ApplicationMasterMain.run(List.of(overrides), JobManagerProcess::run));
  }
}
