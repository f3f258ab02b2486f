package io.millrace.rpc.registration;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import java.time.Duration;
import java.util.Objects;

/** Time-outs and delays of registration attempts. */
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
        configuration.get(ClusterOptions.INITIAL_REGISTRATION_TIMEOUT),
        configuration.get(ClusterOptions.MAX_REGISTRATION_TIMEOUT),
        configuration.get(ClusterOptions.ERROR_REGISTRATION_DELAY),
        configuration.get(ClusterOptions.REFUSED_REGISTRATION_DELAY));
  }
}
