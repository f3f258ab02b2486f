package io.millrace.control.driver;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;

/** Why a driver no longer serves a ResourceManager. */
public sealed interface DriverTermination {

  /** The term or the process ends. Workers keep running for the next leader. */
  record Suspended() implements DriverTermination {}

  /** The application has ended. Its workers end, and the resource provider gets its status. */
  record Over(ApplicationStatus status, String diagnostics) implements DriverTermination {
    public Over {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }

  /** Whether the workers end, too. */
  default boolean isForGood() {
    return this instanceof Over;
  }
}
