package io.millrace.rest;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;

/**
 * How many connections a {@link RestServer} holds, and for how long it waits for those that have
 * not been authenticated.
 *
 * @param firstRequest from the start of a connection to its first authenticated request
 */
record ConnectionLimits(int total, int perAddress, Duration firstRequest) {
  static final ConnectionLimits DEFAULT = of(Configuration.EMPTY);

  ConnectionLimits {
    Objects.requireNonNull(firstRequest);
    check(RestOptions.MAX_CONNECTIONS, total > 0);
    check(RestOptions.MAX_CONNECTIONS_PER_ADDRESS, perAddress > 0);
    check(RestOptions.FIRST_REQUEST_TIMEOUT, !firstRequest.isNegative() && !firstRequest.isZero());
  }

  static ConnectionLimits of(Configuration configuration) {
    return new ConnectionLimits(
        configuration.get(RestOptions.MAX_CONNECTIONS),
        configuration.get(RestOptions.MAX_CONNECTIONS_PER_ADDRESS),
        configuration.get(RestOptions.FIRST_REQUEST_TIMEOUT));
  }

  private static void check(Option<?> option, boolean fits) {
    if (!fits) {
      throw new MillraceException(ErrorKind.USER, option.key() + " has to be more than 0.");
    }
  }
}
