package io.millrace.protocol.reason;

import java.time.Duration;
import java.util.Objects;

/** Why a configuration cannot be used. Options are named by their keys. */
public sealed interface ConfigurationReason extends Reason {
  /** A minimum is above its maximum. */
  record MinimumAboveMaximum(String minimum, String maximum) implements ConfigurationReason {
    public MinimumAboveMaximum {
      Objects.requireNonNull(minimum);
      Objects.requireNonNull(maximum);
    }
  }

  /** A ratio is not between 0 and 1. */
  record RatioOutOfRange(String option, double value) implements ConfigurationReason {
    public RatioOutOfRange {
      Objects.requireNonNull(option);
    }
  }

  /** A pause is not longer than 0. */
  record PauseTooShort(String option, Duration value) implements ConfigurationReason {
    public PauseTooShort {
      Objects.requireNonNull(option);
      Objects.requireNonNull(value);
    }
  }
}
