package io.millrace.client;

import io.millrace.core.config.Configuration;

/**
 * A way to say on the command line where a job is to run. The styles are asked in order, and the
 * first active one decides.
 */
interface CommandLineStyle {
  /** Whether the user spoke in this style. */
  boolean isActive(TargetRequest request);

  /** The configuration with the target, and what it needs, filled in. */
  Configuration decide(TargetRequest request);
}
