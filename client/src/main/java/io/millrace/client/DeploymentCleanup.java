package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.List;

/**
 * Finds and removes what ended clusters have left at a cluster manager. Found by {@link
 * java.util.ServiceLoader}: an implementation has a public constructor without parameters.
 */
public interface DeploymentCleanup {
  /** The cluster manager, for messages. */
  String name();

  /** Whether this process knows where the cluster manager is. */
  boolean isConfigured(Configuration configuration, ProcessEnvironment environment);

  /** Looks for files and removes what the request says. Blocks. */
  List<CleanupFinding> clean(
      CleanupRequest request, Configuration configuration, ProcessEnvironment environment);
}
