package io.millrace.yarn.master;

import io.millrace.cluster.ExitCode;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;

/** What the main classes have in common. */
final class ApplicationMasterMain {
  /** How long a client that waits for the end may take to ask for it. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private ApplicationMasterMain() {}

  /**
   * Runs a JobManager in this container; returns its exit code. What is wrong before there is one
   * goes where YARN shows it to whoever asks why the application failed.
   *
   * @param overrides {@code key=value} pairs
   */
  static int run(List<String> overrides, ToIntFunction<Configuration> process) {
    try {
      ApplicationMasterContainer container = ApplicationMasterContainer.current();
      Configuration configuration = container.configuration(overrides);
      HadoopWarmUp.begin(container.environment());
      return process.applyAsInt(configuration);
    } catch (MillraceException e) {
      System.err.println("The JobManager could not start: " + Failure.sentence(e));
      return ExitCode.START_UP_FAILURE.code();
    }
  }

  /** How long the cluster of one job stays when that has ended. */
  static Duration grace(Configuration configuration) {
    return configuration.get(DeploymentOptions.ATTACHED) ? GRACE : Duration.ZERO;
  }
}
