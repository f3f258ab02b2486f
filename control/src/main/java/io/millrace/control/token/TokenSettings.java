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
 * Times of token renewal.
 *
 * @param renewalRatio the fraction of the life of a token after which it is renewed
 * @param retryBackoff the time between a failed renewal and the next try
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
