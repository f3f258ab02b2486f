package io.millrace.control.driver;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;

/** Why a driver no longer serves a ResourceManager. */
public sealed interface DriverTermination {

  /** Only this term or this process is over: workers live on for the next one. */
  record Suspended() implements DriverTermination {}

  /** The application is over: its workers end, and whoever gave the machines hears how it went. */
  record Over(ApplicationStatus status, String diagnostics) implements DriverTermination {
    public Over {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }

  /** Whether workers end with it. */
  default boolean isForGood() {
    return this instanceof Over;
  }
}
