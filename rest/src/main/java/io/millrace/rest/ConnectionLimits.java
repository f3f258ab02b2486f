package io.millrace.rest;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * How many connections a {@link RestServer} accepts, and how long one may stay unauthenticated.
 *
 * @param firstRequest the time from the start of a connection to its first authenticated request
 */
record ConnectionLimits(int total, int perAddress, Duration firstRequest) {
  static final ConnectionLimits DEFAULT = of(Configuration.EMPTY);

  ConnectionLimits {
    Objects.requireNonNull(firstRequest);
  }

  static ConnectionLimits of(Configuration configuration) {
    return new ConnectionLimits(
        configuration.get(RestOptions.MAX_CONNECTIONS),
        configuration.get(RestOptions.MAX_CONNECTIONS_PER_ADDRESS),
        configuration.get(RestOptions.FIRST_REQUEST_TIMEOUT));
  }
}
