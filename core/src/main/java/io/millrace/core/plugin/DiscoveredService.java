package io.millrace.core.plugin;

import java.util.Objects;

/**
 * A service and where it is from.
 *
 * @param origin for a sentence: {@code plugin 'x' in /plugins/x}
 */
public record DiscoveredService<S>(String origin, S instance) {
  public DiscoveredService {
    Objects.requireNonNull(origin);
    Objects.requireNonNull(instance);
  }
}
