package io.millrace.rpc.registration;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import java.time.Duration;
import java.util.Objects;

/** How patiently to register. */
public record RegistrationSettings(
    Duration initialTimeout, Duration maxTimeout, Duration errorDelay, Duration refusedDelay) {
  public RegistrationSettings {
    Objects.requireNonNull(initialTimeout);
    Objects.requireNonNull(maxTimeout);
    Objects.requireNonNull(errorDelay);
    Objects.requireNonNull(refusedDelay);
  }

  public static RegistrationSettings from(Configuration configuration) {
    return new RegistrationSettings(
        configuration.get(Options.REGISTRATION_INITIAL_TIMEOUT),
        configuration.get(Options.REGISTRATION_MAX_TIMEOUT),
        configuration.get(Options.REGISTRATION_ERROR_DELAY),
        configuration.get(Options.REGISTRATION_REFUSED_DELAY));
  }
}
