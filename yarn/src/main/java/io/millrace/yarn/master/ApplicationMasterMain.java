package io.millrace.yarn.master;

import io.millrace.cluster.ExitCode;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.launch.ContainerFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;

/** The common part of the main classes. */
final class ApplicationMasterMain {
  /** How long a waiting client may take to ask for the result. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private ApplicationMasterMain() {}

  /**
   * Runs a JobManager in this container and returns its exit code. An error before its start goes
   * to the standard error, which YARN shows in the diagnostics of the application.
   *
   * @param overrides {@code key=value} pairs
   */
  static int run(List<String> overrides, ToIntFunction<Configuration> process) {
    try {
      ContainerFiles.unpack(System.getenv(), Path.of("").toAbsolutePath());
      ApplicationMasterContainer container = ApplicationMasterContainer.current();
      Configuration configuration = container.configuration(overrides);
      HadoopWarmUp.begin(container.environment(), configuration);
      return process.applyAsInt(configuration);
    } catch (MillraceException e) {
      System.err.println("The JobManager could not start: " + Failure.sentence(e));
      return ExitCode.START_UP_FAILURE.code();
    }
  }

  /** How long a per-job cluster stays after the end of its job. */
  static Duration grace(Configuration configuration) {
    return configuration.get(DeploymentOptions.ATTACHED) ? GRACE : Duration.ZERO;
  }
}
