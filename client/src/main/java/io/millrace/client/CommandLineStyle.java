package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A way to say on the command line where a job is to run. The styles are asked in order, and the
 * first active one decides.
 */
interface CommandLineStyle {
  /** Whether the user spoke in this style. */
  boolean isActive(TargetRequest request);

  /** The target without whose libraries nothing comes of it. */
  default Optional<String> needs() {
    return Optional.empty();
  }

  /**
   * The configuration with the target, and what it needs, filled in.
   *
   * @param warnings hears of what was said in a later style, which has no effect then
   */
  Configuration decide(TargetRequest request, Consumer<String> warnings);
}
