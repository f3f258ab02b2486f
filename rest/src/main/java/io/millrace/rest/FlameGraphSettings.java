package io.millrace.rest;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * How flame graphs are made.
 *
 * @param enabled whether there are any
 * @param refreshInterval the age from which on a graph is replaced at the next request
 * @param cleanupInterval how long a graph is kept that nobody requests
 * @param samples the number of samples per task
 * @param delay the time between two samples
 * @param depth how many frames of a stack are kept, from its outer end on
 */
public record FlameGraphSettings(
    boolean enabled,
    Duration refreshInterval,
    Duration cleanupInterval,
    int samples,
    Duration delay,
    int depth) {
  public FlameGraphSettings {
    Objects.requireNonNull(refreshInterval);
    Objects.requireNonNull(cleanupInterval);
    Objects.requireNonNull(delay);
  }

  static FlameGraphSettings of(Configuration configuration) {
    return new FlameGraphSettings(
        configuration.get(RestOptions.FLAME_GRAPHS),
        configuration.get(RestOptions.FLAME_GRAPH_REFRESH_INTERVAL),
        configuration.get(RestOptions.FLAME_GRAPH_CLEANUP_INTERVAL),
        configuration.get(RestOptions.FLAME_GRAPH_SAMPLES),
        configuration.get(RestOptions.FLAME_GRAPH_SAMPLE_DELAY),
        configuration.get(RestOptions.FLAME_GRAPH_DEPTH));
  }

  /** How long a sampling takes at least. */
  Duration samplingTime() {
    return delay.multipliedBy(samples - 1L);
  }
}
