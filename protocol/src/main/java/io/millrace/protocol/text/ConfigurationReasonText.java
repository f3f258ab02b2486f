package io.millrace.protocol.text;

import io.millrace.protocol.reason.ConfigurationReason;
import io.millrace.protocol.reason.ConfigurationReason.MinimumAboveMaximum;
import io.millrace.protocol.reason.ConfigurationReason.PauseTooShort;
import io.millrace.protocol.reason.ConfigurationReason.RatioOutOfRange;

/** The sentences of {@link ConfigurationReason}. */
final class ConfigurationReasonText {
  private ConfigurationReasonText() {}

  static String of(ConfigurationReason reason) {
    if (reason instanceof MinimumAboveMaximum bounds) {
      return bounds.minimum()
          + " is more than "
          + bounds.maximum()
          + ". Lower the one or raise the other.";
    } else if (reason instanceof RatioOutOfRange ratio) {
      return ratio.option() + " is " + ratio.value() + ", but must be above 0 and below 1.";
    } else if (reason instanceof PauseTooShort pause) {
      return pause.option() + " is " + pause.value().toMillis() + " ms, but must be longer than 0.";
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }
}
