package io.millrace.control.token;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.protocol.reason.ConfigurationReason.PauseTooShort;
import io.millrace.protocol.reason.ConfigurationReason.RatioOutOfRange;
import io.millrace.protocol.text.ReasonException;
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
      throw new ReasonException(
          ErrorKind.USER,
          new RatioOutOfRange(SecurityOptions.DELEGATION_TOKEN_RENEWAL_RATIO.key(), renewalRatio));
    }
    if (retryBackoff.isNegative() || retryBackoff.isZero()) {
      throw new ReasonException(
          ErrorKind.USER,
          new PauseTooShort(SecurityOptions.DELEGATION_TOKEN_RETRY_BACKOFF.key(), retryBackoff));
    }
  }

  public static TokenSettings from(Configuration configuration) {
    return new TokenSettings(
        configuration.get(SecurityOptions.DELEGATION_TOKEN_RENEWAL_RATIO),
        configuration.get(SecurityOptions.DELEGATION_TOKEN_RETRY_BACKOFF));
  }
}
