package io.millrace.cli.cleanup;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.client.DeploymentCleanup;
import io.millrace.client.ProcessEnvironment;
import io.millrace.core.config.Configuration;
import java.util.List;
import java.util.function.Function;

/**
 * Files at a cluster manager that the test invents. It is found by the service loader; it is
 * configured if {@link #VARIABLE} is set.
 */
public final class FakeCleanup implements DeploymentCleanup {
  static final String VARIABLE = "FAKE_CLEANUP";

  private static Function<CleanupRequest, List<CleanupFinding>> answer = request -> List.of();
  private static CleanupRequest last;

  static void answer(Function<CleanupRequest, List<CleanupFinding>> now) {
    answer = now;
  }

  static CleanupRequest last() {
    return last;
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public boolean isConfigured(Configuration configuration, ProcessEnvironment environment) {
    return environment.variables().containsKey(VARIABLE);
  }

  @Override
  public List<CleanupFinding> clean(
      CleanupRequest request, Configuration configuration, ProcessEnvironment environment) {
    last = request;
    return answer.apply(request);
  }
}
