package io.millrace.control.token;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;

/**
 * How tokens are kept fresh.
 *
 * @param renewalRatio after which part of a token's life another one is obtained
 * @param retryBackoff how long after a failed renewal the next is tried
 */
public record TokenSettings(double renewalRatio, Duration retryBackoff) {
  public TokenSettings {
    Objects.requireNonNull(retryBackoff);
    if (!(renewalRatio > 0 && renewalRatio < 1)) {
      throw new MillraceException(
          ErrorKind.USER,
          SecurityOptions.DELEGATION_TOKEN_RENEWAL_RATIO.key()
              + " is "
              + renewalRatio
              + ", but it is a part of a token's life: a number above 0 and below 1.");
    }
    if (retryBackoff.isNegative() || retryBackoff.isZero()) {
      throw new MillraceException(
          ErrorKind.USER,
          SecurityOptions.DELEGATION_TOKEN_RETRY_BACKOFF.key()
              + " is "
              + retryBackoff.toMillis()
              + " ms, but a service that has just failed needs some time.");
    }
  }

  public static TokenSettings from(Configuration configuration) {
    return new TokenSettings(
        configuration.get(SecurityOptions.DELEGATION_TOKEN_RENEWAL_RATIO),
        configuration.get(SecurityOptions.DELEGATION_TOKEN_RETRY_BACKOFF));
  }
}
