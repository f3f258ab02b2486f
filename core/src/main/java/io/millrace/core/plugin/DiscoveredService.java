package io.millrace.core.plugin;

import java.util.Objects;

/**
 * A service and its origin.
 *
 * @param origin for messages: {@code plugin 'x' in /plugins/x}
 */
public record DiscoveredService<S>(String origin, S instance) {
  public DiscoveredService {
    Objects.requireNonNull(origin);
    Objects.requireNonNull(instance);
  }
}
